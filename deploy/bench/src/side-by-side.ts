import { measureCost } from "./cost.ts";
import { expectedContent, openJsonLoad } from "./json-load.ts";
import { median } from "./statistics.ts";
import { expectedChunks, openStreamLoad } from "./stream-load.ts";
import type { Subject } from "./subject.ts";
import type { Testbed } from "./testbed.ts";
import { type Workload, workloadNamed } from "./workload.ts";

/** The flags of a comparison, for `parseArgs`. */
export const sideBySideFlags = {
  workload: { type: "string", default: "1 KB saturated" },
  /** Each round measures every contender, so that drift of the machine affects all of them. */
  rounds: { type: "string", default: "10" },
  seconds: { type: "string", default: "3" },
  "warm-up": { type: "string", default: "25" },
} as const;

/**
 * Measures gateways under the same load in turns. Resolves with a report of the CPU that each takes
 * per request or stream, in microseconds, compared with the first one: the median of the rounds,
 * their minimum and their maximum; and of the most resident memory that it had.
 */
export async function compareSideBySide(
  testbed: Testbed,
  contenders: readonly Subject[],
  flags: Readonly<Record<keyof typeof sideBySideFlags, string>>,
): Promise<string> {
  const workload = workloadNamed(flags.workload);
  const [rounds, seconds, warmUpSeconds] = [flags.rounds, flags.seconds, flags["warm-up"]].map(
    Number,
  ) as [number, number, number];
  const loads = await Promise.all(contenders.map((one) => openLoad(testbed, one, workload)));
  for (const load of loads) await load.run(warmUpSeconds);
  const samples = contenders.map((): Sample[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { pids }] of contenders.entries()) {
      const processes = {
        gateway: pids,
        stores: [testbed.postgres.pid],
        simulator: testbed.provider.pid,
      };
      const { result: count, cost } = await measureCost(processes, async () =>
        loads[index]?.run(seconds),
      );
      const each = (ms: number) => (ms * 1_000) / (count ?? 1);
      samples[index]?.push({
        gatewayUs: each(cost.gatewayCpuMs),
        storesUs: each(cost.storesCpuMs),
        perSecond: (count ?? 0) / seconds,
        peakMebibytes: cost.peakMebibytes,
      });
    }
  }
  for (const load of loads) await load.close();
  const first = median((samples[0] ?? []).map(({ gatewayUs }) => gatewayUs));
  const lines = contenders.map(({ title }, index) => lineOf(title, samples[index] ?? [], first));
  return `${workload.name}, ${rounds} rounds\n${lines.join("\n")}\n`;
}

interface Sample {
  gatewayUs: number;
  storesUs: number;
  perSecond: number;
  peakMebibytes: number;
}

function lineOf(title: string, samples: readonly Sample[], firstUs: number): string {
  const all = samples.map(({ gatewayUs }) => gatewayUs);
  const middle = median(all);
  const stores = median(samples.map(({ storesUs }) => storesUs));
  const rate = median(samples.map(({ perSecond }) => perSecond));
  const peak = Math.max(...samples.map(({ peakMebibytes }) => peakMebibytes));
  const percent = ((middle / firstUs - 1) * 100).toFixed(1);
  return (
    `${title}: ${middle.toFixed(0)} µs of CPU each (${Math.min(...all).toFixed(0)} to ` +
    `${Math.max(...all).toFixed(0)}), ${percent} % compared with the first;  ` +
    `Postgres ${stores.toFixed(0)} µs; ${rate.toFixed(0)} per second; at most ${peak.toFixed(0)} MiB`
  );
}

/** Opens a load that resolves with its number of requests, or of streams at one per second. */
async function openLoad({ provider }: Testbed, subject: Subject, workload: Workload) {
  if (workload.kind === "json") {
    const load = openJsonLoad(subject, workload, await expectedContent(provider.url, workload));
    return {
      run: async (seconds: number) => (await load.run(seconds)).requests,
      close: () => load.close(),
    };
  }
  const load = openStreamLoad(subject, workload, await expectedChunks(provider.url, workload));
  return {
    run: async (seconds: number) => (await load.run(Math.ceil(seconds))).streams,
    close: () => load.close(),
  };
}
