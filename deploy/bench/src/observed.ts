import { parseArgs } from "node:util";
import { compareSideBySide, sideBySideFlags } from "./side-by-side.ts";
import { startTestbed } from "./testbed.ts";
import { startAll } from "./tollgate.ts";

/**
 * `npm run bench:observed`: measures what metrics and logs cost per request, without tracing. It
 * compares a gateway without both, one with metrics, and one that also logs two lines per request.
 */
const { values } = parseArgs({ options: sideBySideFlags });
const uncounted = `--import=${new URL("./without-metrics.ts", import.meta.url).href}`;

await using testbed = await startTestbed();
const contenders = [
  await start("no metrics, no logs", { TOLLGATE_LOG: "silent", NODE_OPTIONS: uncounted }),
  await start("metrics", { TOLLGATE_LOG: "silent" }),
  await start("metrics and logs", { TOLLGATE_LOG: "info" }),
];
process.stdout.write(await compareSideBySide(testbed, contenders, values));

async function start(title: string, env: NodeJS.ProcessEnv) {
  const database = `bench_${title.replaceAll(/\W+/g, "_")}`;
  return { ...(await startAll(testbed, { database, env })), title };
}
