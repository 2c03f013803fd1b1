import { mkdir, rmdir, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { cpuSeconds } from "./cpu.ts";
import { expectedAnswer, openJsonLoad } from "./json-load.ts";
import { openStage } from "./stage.ts";
import { median } from "./statistics.ts";
import { startFleetGateway } from "./tollgate.ts";
import type { JsonWorkload } from "./workload.ts";

/**
 * `npm run bench:scaling`: requests/s with two replicas of chat and with one, each kept to a share
 * of a core as a pod is by its limit, so that two fit a small machine and neither the edge nor the
 * load is what holds them up. Needs Linux, root and the cpu controller of cgroup v1 or v2.
 */
const { values } = parseArgs({
  options: {
    share: { type: "string", default: "0.1" },
    seconds: { type: "string", default: "15" },
    rounds: { type: "string", default: "3" },
  },
});
const share = Number(values.share);
const seconds = Number(values.seconds);
const periodUs = 100_000;
const warmUpSeconds = 40;
const workload: JsonWorkload = {
  kind: "json",
  name: "scaling",
  clients: 32,
  promptBytes: 1_000,
  providerMs: 0,
};

await using stage = await openStage();
const gateway = await startFleetGateway(stage, "bench_scaling", 2);
const load = openJsonLoad(gateway, workload, await expectedAnswer(stage.provider.url, workload));
await load.run(warmUpSeconds);
// A replica that was started again would be slow for long: V8 compiles what is hot only after
// thousands of requests. So one is stopped once, and all rounds with both come before.
const two = await rounds(2);
await gateway.fleet.replicas("chat")[1]?.child?.stop();
const one = await rounds(1);
await load.close();
process.stdout.write(`two replicas of chat serve ${(two / one).toFixed(2)} times what one does\n`);

async function rounds(replicas: number): Promise<number> {
  const measured: number[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    measured.push(await measure(replicas));
  }
  return median(measured);
}

async function measure(replicas: number): Promise<number> {
  const limits = await Promise.all(
    gateway.fleet
      .replicas("chat")
      .slice(0, replicas)
      .map(({ child }) => limitCpu(child?.pid ?? 0)),
  );
  const edge = gateway.fleet.process("edge")?.pid ?? 0;
  const before = cpuSeconds([edge]);
  const { requestsPerSecond, p50Ms, p99Ms } = await load.run(seconds);
  const edgeShare = (cpuSeconds([edge]) - before) / seconds;
  for (const lift of limits) await lift();
  process.stdout.write(
    `${replicas} at ${share} of a core each: ${requestsPerSecond.toFixed(0)} requests/s, ` +
      `p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms; ` +
      `the edge used ${edgeShare.toFixed(2)} of a core\n`,
  );
  return requestsPerSecond;
}

/** Keeps a process to its share, and answers what lifts that again. */
async function limitCpu(pid: number): Promise<() => Promise<void>> {
  const quotaUs = Math.round(share * periodUs);
  const version1 = `/sys/fs/cgroup/cpu/tollgate-${pid}`;
  try {
    await mkdir(version1);
    await writeFile(`${version1}/cpu.cfs_quota_us`, String(quotaUs));
    await writeFile(`${version1}/cgroup.procs`, String(pid));
    return async () => {
      await writeFile("/sys/fs/cgroup/cpu/cgroup.procs", String(pid));
      await rmdir(version1);
    };
  } catch {
    const version2 = `/sys/fs/cgroup/tollgate-${pid}`;
    await mkdir(version2, { recursive: true });
    await writeFile(`${version2}/cpu.max`, `${quotaUs} ${periodUs}`);
    await writeFile(`${version2}/cgroup.procs`, String(pid));
    return async () => {
      await writeFile("/sys/fs/cgroup/cgroup.procs", String(pid));
      await rmdir(version2);
    };
  }
}
