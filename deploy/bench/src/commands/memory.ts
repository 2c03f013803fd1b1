import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@tollgate/local/free-port";
import { defineCommand } from "../command.ts";
import { openLoad } from "../load/load.ts";
import { workloadNamed } from "../load/workload.ts";
import { cpuMs } from "../machine/cpu.ts";
import { startWithMemory } from "../machine/memory-group.ts";
import { residentMebibytes } from "../machine/resident-memory.ts";
import { slopeOf } from "../report/statistics.ts";
import type { Gateway } from "../subjects/subject.ts";
import { startTestbed } from "../subjects/testbed.ts";
import { startAll } from "../subjects/tollgate.ts";

const everySeconds = 10;

interface Sample {
  seconds: number;
  resident: number;
  /** Live objects and garbage that is not collected yet, in MiB. */
  heap: number;
}

export const memoryCommand = defineCommand({
  name: "memory",
  about: "whether memory stays flat under load, also with the memory of a container",
  details:
    "Measures whether memory stays flat under requests and streams at once. The slope excludes the first\n" +
    "fifth, in which caches fill and code is compiled.",
  flags: {
    minutes: { about: "of load", default: "10" },
    clients: { about: "that send requests", default: "16" },
    streams: { about: "at once", default: "16" },
    mebibytes: { about: "of the gateway, as in a container: 512 (Linux, root)" },
  },
  async run(values) {
    await using testbed = await startTestbed();
    const operations = `127.0.0.1:${await freePort()}`;
    const env = { TOLLGATE_OPERATIONS_LISTEN: operations };
    const start = () => startAll(testbed, { database: "bench_memory", env });
    const gateway = await (values.mebibytes === undefined
      ? start()
      : startWithMemory(Number(values.mebibytes), start, testbed.defer));
    const json = { ...workloadNamed("1 KB saturated"), clients: Number(values.clients) };
    const sse = { ...workloadNamed("64 streams"), clients: Number(values.streams) };
    const jsonLoad = await openLoad(testbed.provider.url, gateway, json);
    const streamLoad = await openLoad(testbed.provider.url, gateway, sse);
    const seconds = Number(values.minutes) * 60;
    const before = cpuMs(gateway.pids);
    const [requests, streams, samples] = await Promise.all([
      jsonLoad.run(seconds),
      streamLoad.run(seconds),
      watch(gateway, operations, seconds),
    ]);
    const cpuSeconds = (cpuMs(gateway.pids) - before) / 1_000;
    if ("lost" in streams && streams.lost + streams.reordered > 0) {
      throw new Error("a chunk was lost or out of order");
    }
    await jsonLoad.close();
    await streamLoad.close();
    const settled = samples.filter((sample) => sample.seconds > seconds / 5);
    const slope = (of: (sample: Sample) => number) =>
      slopeOf(settled.map((sample) => [sample.seconds / 60, of(sample)])).toFixed(2);
    process.stdout.write(
      `${requests.count} requests and ${streams.count} streams, ${cpuSeconds.toFixed(0)} s of CPU; ` +
        `after the first fifth, resident memory grew by ${slope(({ resident }) => resident)} MiB a ` +
        `minute, the heap by ${slope(({ heap }) => heap)}\n`,
    );
  },
});

/** Prints a line every ten seconds. */
async function watch({ pids }: Gateway, operations: string, seconds: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  const startedAt = performance.now();
  process.stdout.write("seconds  resident MiB  heap MiB\n");
  for (let elapsed = 0; elapsed < seconds; ) {
    await sleep(everySeconds * 1_000);
    elapsed = (performance.now() - startedAt) / 1_000;
    const heap = await heapMebibytes(operations);
    const resident = residentMebibytes(pids);
    samples.push({ seconds: elapsed, resident, heap });
    const cells = [elapsed.toFixed(0).padStart(7), resident.toFixed(1).padStart(13)];
    process.stdout.write(`${cells.join(" ")} ${heap.toFixed(1).padStart(9)}\n`);
  }
  return samples;
}

async function heapMebibytes(operations: string): Promise<number> {
  const text = await (await fetch(`http://${operations}/metrics`)).text();
  const [, bytes = "NaN"] = /^nodejs_heap_size_used_bytes (\S+)$/m.exec(text) ?? [];
  return Number(bytes) / 1024 / 1024;
}
