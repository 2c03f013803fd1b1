import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cpuSeconds } from "./cpu.ts";
import { type CpuProfile, type Profile, readProfile, type Spent } from "./cpu-profile.ts";
import { expectedContent, openJsonLoad } from "./json-load.ts";
import { expectedChunks, openStreamLoad } from "./stream-load.ts";
import { startTestbed } from "./testbed.ts";
import { startAll } from "./tollgate.ts";
import type { JsonWorkload, StreamWorkload } from "./workload.ts";

/**
 * `npm run bench:profile`: shows where `--target all` spends CPU under JSON requests, or with
 * `--streams` under as many clients that read streams of 50 chunks. It uses V8's
 * sampling profiler, which slows the requests down. Start and warm-up are excluded.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "15" },
    clients: { type: "string", default: "64" },
    bytes: { type: "string", default: "1000" },
    streams: { type: "string", default: "0" },
    top: { type: "string", default: "25" },
    /** The folder for the `.cpuprofile` file; removed by default. */
    keep: { type: "string" },
  },
});
const top = Number(values.top);
/** V8 compiles hot code only after thousands of requests. */
const warmUpSeconds = 30;
const streams = Number(values.streams);
const about = { name: "profile", promptBytes: Number(values.bytes) };

await using testbed = await startTestbed();
const folder = values.keep ?? join(testbed.folder, "profile");
await mkdir(folder, { recursive: true });
const env = { NODE_OPTIONS: `--cpu-prof --cpu-prof-interval=500 --cpu-prof-dir=${folder}` };
const gateway = await startAll(testbed, { database: "bench_profile", env });
const load = streams > 0 ? await openStreams() : await openRequests();
await load.run(warmUpSeconds);
const from = process.hrtime.bigint();
const cpuBefore = cpuSeconds(gateway.pids);
const requests = await load.run(Number(values.seconds));
const requestsPerSecond = requests / Number(values.seconds);
const until = process.hrtime.bigint();
const cpuUs = ((cpuSeconds(gateway.pids) - cpuBefore) * 1_000_000) / requests;
await load.close();
await gateway.stop();

const [file = ""] = (await readdir(folder))
  .filter((name) => name.endsWith(".cpuprofile"))
  .sort()
  .reverse();
const profile = JSON.parse(await readFile(join(folder, file), "utf8")) as CpuProfile;
process.stdout.write(report(readProfile(profile, Number(from / 1_000n), Number(until / 1_000n))));

async function openRequests() {
  const clients = Number(values.clients);
  const workload: JsonWorkload = { kind: "json", ...about, clients, providerMs: 0 };
  const expected = await expectedContent(testbed.provider.url, workload);
  const { run, close } = openJsonLoad(gateway, workload, expected);
  return { run: async (seconds: number) => (await run(seconds)).requests, close };
}

/** A stream takes a second. */
async function openStreams() {
  const workload: StreamWorkload = {
    kind: "sse",
    ...about,
    clients: streams,
    chunks: 50,
    gapMs: 20,
  };
  const expected = await expectedChunks(testbed.provider.url, workload);
  const { run, close } = openStreamLoad(gateway, workload, expected);
  return { run: async (seconds: number) => (await run(seconds)).streams, close };
}

function report({ busyUs, functions, files, packages, callers }: Profile): string {
  const byTotal = functions
    .filter(({ name }) => name.includes("services/"))
    .toSorted((left, right) => right.totalUs - left.totalUs);
  return [
    `${requests} requests, ${requestsPerSecond.toFixed(0)} per second under the profiler; ` +
      `${cpuUs.toFixed(0)} µs of CPU each, divided by the profiler's samples`,
    "\nown µs per request, its share, µs per request including callees",
    section("packages", packages, busyUs),
    section("files", files, busyUs),
    section("functions", functions, busyUs),
    section("functions, including Node's own and native code", callers, busyUs),
    section("our functions, including callees", byTotal, busyUs),
    "",
  ].join("\n");
}

/** Samples measure elapsed time, not CPU time: their shares divide the measured CPU time. */
function section(title: string, spent: readonly Spent[], busyUs: number): string {
  const each = (timeUs: number) => ((timeUs / busyUs) * cpuUs).toFixed(1).padStart(8);
  const rows = spent.slice(0, top).map(({ name, selfUs, totalUs }) => {
    const share = `${((selfUs / busyUs) * 100).toFixed(1)} %`.padStart(7);
    return `${each(selfUs)} ${share} ${each(totalUs)}  ${name}`;
  });
  return [`\n${title}`, ...rows].join("\n");
}
