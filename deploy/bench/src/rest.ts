import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { cpuMs } from "./cpu.ts";
import { residentMebibytes } from "./memory.ts";
import { startTestbed } from "./testbed.ts";
import { startAll, startFleetGateway } from "./tollgate.ts";

/**
 * `npm run bench:rest`: what a gateway without requests takes: CPU and resident memory, and the time
 * that it needs to start. `--fleet` shows each service. `--main FILE` starts a bundle.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "30" },
    /** V8 compacts its heap in the first minute. */
    settle: { type: "string", default: "60" },
    fleet: { type: "boolean", default: false },
    main: { type: "string" },
  },
});
const seconds = Number(values.seconds);

await using testbed = await startTestbed();
const startedAt = performance.now();
const database = "bench_rest";
const program = values.main === undefined ? {} : { main: pathToFileURL(resolve(values.main)) };
const gateway = values.fleet
  ? await startFleetGateway(testbed, { database, ...program })
  : await startAll(testbed, { database, ...program });
const startMs = performance.now() - startedAt;
await sleep(Number(values.settle) * 1_000);

const stores = [testbed.postgres.pid];
const before = { each: gateway.pids.map((pid) => cpuMs([pid])), stores: cpuMs(stores) };
await sleep(seconds * 1_000);
const rows = gateway.pids.map((pid, index) => {
  const used = cpuMs([pid]) - (before.each[index] ?? 0);
  return { name: targetOf(pid), msPerSecond: used / seconds, mebibytes: residentMebibytes([pid]) };
});
const lines = rows.map(
  ({ name, msPerSecond, mebibytes }) =>
    `${name}: ${msPerSecond.toFixed(1)} ms of CPU a second, ${mebibytes.toFixed(0)} MiB`,
);
const sum = rows.reduce((total, { msPerSecond }) => total + msPerSecond, 0);
const storesMs = (cpuMs(stores) - before.stores) / seconds;
process.stdout.write(
  `${lines.join("\n")}\nall: ${sum.toFixed(1)} ms a second; Postgres ${storesMs.toFixed(1)}; ` +
    `started, with an account, in ${(startMs / 1_000).toFixed(1)} s\n`,
);

function targetOf(pid: number): string {
  const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return words[words.indexOf("--target") + 1] ?? "";
}
