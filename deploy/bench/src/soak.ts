import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { freePort } from "@tollgate/local/free-port";
import { expectedContent, openJsonLoad } from "./json-load.ts";
import { residentMebibytes } from "./memory.ts";
import { slopeOf } from "./statistics.ts";
import { expectedChunks, openStreamLoad } from "./stream-load.ts";
import { startTestbed } from "./testbed.ts";
import { startAll } from "./tollgate.ts";
import type { JsonWorkload, StreamWorkload } from "./workload.ts";

/**
 * `npm run bench:soak`: measures whether memory stays flat under minutes of load, with requests and
 * streams at once. The slope excludes the first fifth, in which caches fill and code is compiled.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    clients: { type: "string", default: "16" },
    streams: { type: "string", default: "16" },
  },
});
const totalSeconds = Number(values.minutes) * 60;
const everySeconds = 10;
const about = { name: "soak", promptBytes: 1_000 } as const;
const json: JsonWorkload = {
  ...about,
  kind: "json",
  clients: Number(values.clients),
  providerMs: 0,
};
const sse: StreamWorkload = {
  ...about,
  kind: "sse",
  clients: Number(values.streams),
  chunks: 50,
  gapMs: 20,
};

interface Sample {
  seconds: number;
  resident: number;
  /** Live objects and garbage that is not collected yet, in MiB. */
  heap: number;
}

await using testbed = await startTestbed();
const operations = `127.0.0.1:${await freePort()}`;
const env = { TOLLGATE_OPERATIONS_LISTEN: operations };
const gateway = await startAll(testbed, { database: "bench_soak", env });
const { url } = testbed.provider;
const jsonLoad = openJsonLoad(gateway, json, await expectedContent(url, json));
const streamLoad = openStreamLoad(gateway, sse, await expectedChunks(url, sse));

const samples: Sample[] = [];
const startedAt = performance.now();
const elapsed = () => (performance.now() - startedAt) / 1_000;
const [requests, streams] = await Promise.all([jsonLoad.run(totalSeconds), stream(), watch()]);
await jsonLoad.close();
await streamLoad.close();
process.stdout.write(summary());

async function stream(): Promise<number> {
  let count = 0;
  while (elapsed() < totalSeconds) {
    const seen = await streamLoad.run(10);
    if (seen.lost + seen.reordered > 0) throw new Error("a chunk was lost or out of order");
    count += seen.streams;
  }
  return count;
}

async function watch(): Promise<void> {
  process.stdout.write("seconds  resident MiB  heap MiB\n");
  while (elapsed() < totalSeconds) {
    await sleep(everySeconds * 1_000);
    const sample = {
      seconds: elapsed(),
      resident: residentMebibytes(gateway.pids),
      heap: await heapMebibytes(),
    };
    samples.push(sample);
    const cells = [sample.seconds.toFixed(0), sample.resident.toFixed(1), sample.heap.toFixed(1)];
    process.stdout.write(
      `${cells[0]?.padStart(7)} ${cells[1]?.padStart(13)} ${cells[2]?.padStart(9)}\n`,
    );
  }
}

async function heapMebibytes(): Promise<number> {
  const text = await (await fetch(`http://${operations}/metrics`)).text();
  const [, bytes = "NaN"] = /^nodejs_heap_size_used_bytes (\S+)$/m.exec(text) ?? [];
  return Number(bytes) / 1024 / 1024;
}

function summary(): string {
  const settled = samples.filter(({ seconds }) => seconds > totalSeconds / 5);
  const slope = (of: (sample: Sample) => number) =>
    slopeOf(settled.map((sample) => [sample.seconds / 60, of(sample)])).toFixed(2);
  return (
    `${requests.requests} requests and ${streams} streams; after the first fifth, resident ` +
    `memory grew by ${slope(({ resident }) => resident)} MiB a minute, the heap by ` +
    `${slope(({ heap }) => heap)}\n`
  );
}
