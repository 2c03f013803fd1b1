import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { defineCommand } from "../command.ts";
import { cpuMs } from "../machine/cpu.ts";
import { residentMebibytes } from "../machine/resident-memory.ts";
import { startTestbed } from "../subjects/testbed.ts";
import { startAll, startFleetGateway } from "../subjects/tollgate.ts";

const say = (line: string) => void process.stdout.write(`${line}\n`);

export const restCommand = defineCommand({
  name: "rest",
  about: "what a gateway without requests takes, and how long it takes to start",
  details:
    "Measures the CPU and memory of a gateway without requests, and the time that it takes to start.",
  flags: {
    fleet: { about: "each service of a fleet", default: false },
    main: { about: "the main.mjs of a bundle" },
    settle: { about: "seconds before: V8 compacts its heap in the first minute", default: "60" },
    seconds: { about: "of the measurement", default: "30" },
  },
  async run(values) {
    const seconds = Number(values.seconds);
    await using testbed = await startTestbed();
    const startedAt = performance.now();
    const main = values.main === undefined ? {} : { main: pathToFileURL(resolve(values.main)) };
    const start = values.fleet ? startFleetGateway : startAll;
    const gateway = await start(testbed, { database: "bench_rest", ...main });
    const startSeconds = (performance.now() - startedAt) / 1_000;
    await sleep(Number(values.settle) * 1_000);
    const stores = [testbed.postgres.pid];
    const before = { each: gateway.pids.map((pid) => cpuMs([pid])), stores: cpuMs(stores) };
    await sleep(seconds * 1_000);
    let sum = 0;
    for (const [index, pid] of gateway.pids.entries()) {
      const msPerSecond = (cpuMs([pid]) - (before.each[index] ?? 0)) / seconds;
      sum += msPerSecond;
      const mebibytes = residentMebibytes([pid]).toFixed(0);
      say(`${targetOf(pid)}: ${msPerSecond.toFixed(1)} ms of CPU a second, ${mebibytes} MiB`);
    }
    const storesMs = (cpuMs(stores) - before.stores) / seconds;
    say(`all: ${sum.toFixed(1)} ms a second; Postgres ${storesMs.toFixed(1)}`);
    say(`started, with an account, in ${startSeconds.toFixed(1)} s`);
  },
});

function targetOf(pid: number): string {
  const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return words[words.indexOf("--target") + 1] ?? "";
}
