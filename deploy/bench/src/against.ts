import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { compareSideBySide, sideBySideFlags } from "./side-by-side.ts";
import { startBareProxy } from "./subjects.ts";
import { startTestbed } from "./testbed.ts";
import { startAll } from "./tollgate.ts";

/**
 * `npm run bench:against -- FOLDER …`: compares this checkout with other prepared checkouts, such as
 * one of the previous commit. With `--bare`, the bare proxy is the first contender.
 */
const { values, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: { ...sideBySideFlags, bare: { type: "boolean", default: false } },
});

await using testbed = await startTestbed();
const contenders = values.bare ? [await startBareProxy(testbed)] : [];
for (const [index, folder] of [...folders, "."].entries()) {
  const main = pathToFileURL(resolve(folder, "services/tollgate/src/main.ts"));
  const gateway = await startAll(testbed, { database: `bench_against_${index}`, main });
  contenders.push({ ...gateway, title: folder });
}
process.stdout.write(await compareSideBySide(testbed, contenders, values));
