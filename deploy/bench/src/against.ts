import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { compareSideBySide, sideBySideFlags } from "./side-by-side.ts";
import { openStage } from "./stage.ts";
import { startBareProxy } from "./subjects.ts";
import { startAll } from "./tollgate.ts";

/**
 * `npm run bench:against -- FOLDER …`: this checkout beside others that are built, such as one of
 * the commit before. `--bare` puts the bare proxy in front.
 */
const { values, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: { ...sideBySideFlags, bare: { type: "boolean", default: false } },
});

await using stage = await openStage();
const contenders = values.bare ? [await startBareProxy(stage)] : [];
for (const [index, folder] of [...folders, "."].entries()) {
  const main = pathToFileURL(resolve(folder, "services/tollgate/src/main.ts"));
  const gateway = await startAll(stage, { database: `bench_against_${index}`, main });
  contenders.push({ ...gateway, title: folder });
}
process.stdout.write(await compareSideBySide(stage, contenders, values));
