import { parseArgs } from "node:util";
import { compareSideBySide } from "./side-by-side.ts";
import { openStage } from "./stage.ts";
import { startAll } from "./tollgate.ts";
import { workloadNamed } from "./workload.ts";

/**
 * `npm run bench:observed`: what being observed costs a request, tracing off: a gateway that counts
 * and logs nothing, one that counts, and one that also logs its two lines a request.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "10" },
    seconds: { type: "string", default: "3" },
    heat: { type: "string", default: "25" },
    workload: { type: "string", default: "1 KB saturated" },
  },
});
const uncounted = `--import=${new URL("./without-metrics.ts", import.meta.url).pathname}`;

await using stage = await openStage();
const contenders = [
  await start("no metrics, no logs", { TOLLGATE_LOG: "silent", NODE_OPTIONS: uncounted }),
  await start("metrics", { TOLLGATE_LOG: "silent" }),
  await start("metrics and logs", { TOLLGATE_LOG: "info" }),
];
const told = await compareSideBySide(stage, contenders, {
  workload: workloadNamed(values.workload),
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  heatSeconds: Number(values.heat),
});
process.stdout.write(told);

async function start(title: string, env: NodeJS.ProcessEnv) {
  const database = `bench_${title.replaceAll(/\W+/g, "_")}`;
  return { ...(await startAll(stage, { database, env })), title };
}
