import { parseArgs } from "node:util";
import { compareSideBySide, sideBySideFlags } from "./side-by-side.ts";
import { openStage } from "./stage.ts";
import { startAll } from "./tollgate.ts";

/**
 * `npm run bench:observed`: what being observed costs a request, tracing off: a gateway that counts
 * and logs nothing, one that counts, and one that also logs its two lines a request.
 */
const { values } = parseArgs({ options: sideBySideFlags });
const uncounted = `--import=${new URL("./without-metrics.ts", import.meta.url).href}`;

await using stage = await openStage();
const contenders = [
  await start("no metrics, no logs", { TOLLGATE_LOG: "silent", NODE_OPTIONS: uncounted }),
  await start("metrics", { TOLLGATE_LOG: "silent" }),
  await start("metrics and logs", { TOLLGATE_LOG: "info" }),
];
process.stdout.write(await compareSideBySide(stage, contenders, values));

async function start(title: string, env: NodeJS.ProcessEnv) {
  const database = `bench_${title.replaceAll(/\W+/g, "_")}`;
  return { ...(await startAll(stage, { database, env })), title };
}
