import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { compareSideBySide, sideBySideFlags } from "./side-by-side.ts";
import { startBareProxy } from "./subjects.ts";
import { startTestbed } from "./testbed.ts";
import { startAll, startFleetGateway, startWorkersGateway } from "./tollgate.ts";

/**
 * `npm run bench:against -- FOLDER …`: compares this checkout with other prepared checkouts, such
 * as one of the previous commit, as one process each, or as a fleet each with `--fleet`. With
 * `--bare`, the bare proxy is the first contender. With `--workers N`, the last one is this checkout
 * with so many processes.
 */
const { values, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: {
    ...sideBySideFlags,
    bare: { type: "boolean", default: false },
    fleet: { type: "boolean", default: false },
    workers: { type: "string" },
  },
});

await using testbed = await startTestbed();
const contenders = values.bare ? [await startBareProxy(testbed)] : [];
for (const [index, folder] of [...folders, "."].entries()) {
  const database = `bench_against_${index}`;
  const gateway = values.fleet
    ? await startFleetOf(folder, database)
    : await startAll(testbed, { database, main: fileOf(folder, "services/program/src/main.ts") });
  contenders.push({ ...gateway, title: folder });
}
if (values.workers !== undefined) {
  contenders.push(await startWorkersGateway(testbed, "bench_workers", Number(values.workers)));
}
process.stdout.write(await compareSideBySide(testbed, contenders, values));

async function startFleetOf(folder: string, database: string) {
  const launcher = fileOf(folder, "deploy/local/src/fleet.ts").href;
  const { startFleet } = (await import(launcher)) as typeof import("@tollgate/local/fleet");
  return startFleetGateway(testbed, { database, start: startFleet });
}

function fileOf(folder: string, path: string): URL {
  return pathToFileURL(resolve(folder, path));
}
