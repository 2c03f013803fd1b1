import { parseArgs } from "node:util";
import { createControlGroup } from "./control-group.ts";
import { cpuSeconds } from "./cpu.ts";
import { expectedContent, openJsonLoad } from "./json-load.ts";
import { median } from "./statistics.ts";
import { startTestbed } from "./testbed.ts";
import { startFleetGateway } from "./tollgate.ts";
import type { JsonWorkload } from "./workload.ts";

/**
 * `npm run bench:scaling`: compares the requests/s of two replicas of chat with those of one. Each
 * replica is limited to a share of a core, as a pod is by its CPU limit, so that both fit on a
 * small machine and neither the edge nor the load is the bottleneck. Needs Linux, root and the cpu
 * controller of cgroup v1 or v2.
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

await using testbed = await startTestbed();
const gateway = await startFleetGateway(testbed, { database: "bench_scaling", replicas: 2 });
const load = openJsonLoad(gateway, workload, await expectedContent(testbed.provider.url, workload));
await load.run(warmUpSeconds);
// The rounds with two replicas come first and then one replica is stopped for good: a restarted one
// would be slow until V8 has compiled its hot code, which takes thousands of requests.
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

/** Limits the CPU share of a process. Resolves with a function that lifts the limit. */
async function limitCpu(pid: number): Promise<() => Promise<void>> {
  const quotaUs = Math.round(share * periodUs);
  const group = await createControlGroup(String(pid), {
    controller: "cpu",
    version1: { "cpu.cfs_quota_us": String(quotaUs) },
    version2: { "cpu.max": `${quotaUs} ${periodUs}` },
  });
  await group.enter(pid);
  return async () => {
    await group.leave(pid);
    await group.remove();
  };
}
