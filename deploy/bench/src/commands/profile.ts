import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { defineCommand } from "../command.ts";
import { openLoad } from "../load/load.ts";
import { workloadNamed } from "../load/workload.ts";
import { cpuSeconds } from "../machine/cpu.ts";
import { type CpuProfile, type Profile, readProfile, type Spent } from "../machine/cpu-profile.ts";
import { startTestbed } from "../subjects/testbed.ts";
import { startAll } from "../subjects/tollgate.ts";

/** V8 compiles hot code only after thousands of requests. */
const warmUpSeconds = 30;

/** Node names a profile `CPU.date.time.process.thread.number`, and each worker thread writes one, too. */
const mainThread = /^CPU(\.\d+){3}\.0\.\d+\.cpuprofile$/;

export const profileCommand = defineCommand({
  name: "profile",
  about: "where the CPU of a request or stream goes, by V8's profiler",
  details:
    "Shows where the main thread of one process spends CPU, by V8's sampling profiler, which slows it down.\n" +
    "Its start and the warm-up are excluded.",
  flags: {
    workload: { about: "such as '100 KB saturated' or '64 streams'", default: "1 KB saturated" },
    kind: { about: "the kind of the provider, such as anthropic or mistral", default: "openai" },
    seconds: { about: "of the profile", default: "15" },
    top: { about: "rows of each table", default: "25" },
    keep: { about: "a folder for the .cpuprofile file" },
  },
  async run(values) {
    await using testbed = await startTestbed();
    const folder = values.keep ?? join(testbed.folder, "profile");
    await mkdir(folder, { recursive: true });
    const env = { NODE_OPTIONS: `--cpu-prof --cpu-prof-interval=500 --cpu-prof-dir=${folder}` };
    const gateway = await startAll(testbed, { database: "bench_profile", env });
    const workload = workloadNamed(values.workload, values.kind);
    const load = await openLoad(testbed.provider.url, gateway, workload);
    await load.run(warmUpSeconds);
    const from = process.hrtime.bigint();
    const cpuBefore = cpuSeconds(gateway.pids);
    const { count } = await load.run(Number(values.seconds));
    const until = process.hrtime.bigint();
    const cpuUs = ((cpuSeconds(gateway.pids) - cpuBefore) * 1_000_000) / count;
    await load.close();
    await gateway.stop();
    const files = (await readdir(folder)).filter((name) => mainThread.test(name)).sort();
    const text = await readFile(join(folder, files.at(-1) ?? ""), "utf8");
    const times = [Number(from / 1_000n), Number(until / 1_000n)] as const;
    const profile = readProfile(JSON.parse(text) as CpuProfile, ...times);
    const perSecond = (count / Number(values.seconds)).toFixed(0);
    process.stdout.write(
      `${values.workload}: ${perSecond} per second under the profiler; ${cpuUs.toFixed(0)} µs of CPU ` +
        `each, divided by the profiler's samples\n${tablesOf(profile, cpuUs, Number(values.top))}\n`,
    );
  },
});

function tablesOf(profile: Profile, cpuUs: number, top: number): string {
  const { busyUs, functions, files, packages, callers } = profile;
  const byTotal = functions
    .filter(({ name }) => name.includes("services/"))
    .toSorted((left, right) => right.totalUs - left.totalUs);
  // Samples measure elapsed time, not CPU time: their shares divide the measured CPU time.
  const each = (timeUs: number) => ((timeUs / busyUs) * cpuUs).toFixed(1).padStart(8);
  const table = (title: string, spent: readonly Spent[]) => {
    const rows = spent.slice(0, top).map(({ name, selfUs, totalUs }) => {
      const share = `${((selfUs / busyUs) * 100).toFixed(1)} %`.padStart(7);
      return `${each(selfUs)} ${share} ${each(totalUs)}  ${name}`;
    });
    return [`\n${title}`, ...rows].join("\n");
  };
  return [
    "\nown µs per request, its share, µs per request including callees",
    table("packages", packages),
    table("files", files),
    table("functions", functions),
    table("functions, including Node's own and native code", callers),
    table("our functions, including callees", byTotal),
  ].join("\n");
}
