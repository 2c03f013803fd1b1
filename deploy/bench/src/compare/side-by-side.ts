import { openLoad } from "../load/load.ts";
import type { Workload } from "../load/workload.ts";
import { type Cost, measureCost, processesOf } from "../machine/cost.ts";
import { median } from "../report/statistics.ts";
import type { Subject } from "../subjects/subject.ts";
import type { Testbed } from "../subjects/testbed.ts";

/** What is measured in turns. Each round measures every contender. */
export interface Turns {
  workload: Workload;
  rounds: number;
  seconds: number;
  warmUpSeconds: number;
}

/**
 * Measures gateways under the same load in turns. Resolves with a report of the CPU that each takes
 * per request or stream, in microseconds, compared with the first one: the median of the rounds,
 * their minimum and their maximum; and of the most resident memory that it had.
 */
export async function compareSideBySide(
  testbed: Testbed,
  contenders: readonly Subject[],
  { workload, rounds, seconds, warmUpSeconds }: Turns,
): Promise<string> {
  const loads = await Promise.all(
    contenders.map((one) => openLoad(testbed.provider.url, one, workload)),
  );
  for (const load of loads) await load.run(warmUpSeconds);
  const samples = contenders.map((): Sample[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      const processes = processesOf(contender, testbed);
      const { result, cost } = await measureCost(processes, async () => loads[index]?.run(seconds));
      samples[index]?.push({ ...cost, count: result?.count ?? 1 });
    }
  }
  for (const load of loads) await load.close();
  const firstUs = median((samples[0] ?? []).map(gatewayUs));
  const lines = contenders.map(({ title }, index) => {
    const all = samples[index] ?? [];
    const rate = median(all.map(({ count }) => count)) / seconds;
    return `${title}: ${lineOf(all, firstUs)}; ${rate.toFixed(0)} per second`;
  });
  return `${workload.name}, ${rounds} rounds\n${lines.join("\n")}\n`;
}

type Sample = Cost & { count: number };

function gatewayUs({ gatewayCpuMs, count }: Sample): number {
  return (gatewayCpuMs * 1_000) / count;
}

function lineOf(samples: readonly Sample[], firstUs: number): string {
  const all = samples.map(gatewayUs);
  const middle = median(all);
  const storesUs = median(samples.map(({ storesCpuMs, count }) => (storesCpuMs * 1_000) / count));
  const peak = Math.max(...samples.map(({ peakMebibytes }) => peakMebibytes));
  const percent = ((middle / firstUs - 1) * 100).toFixed(1);
  return (
    `${middle.toFixed(0)} µs of CPU each (${Math.min(...all).toFixed(0)} to ` +
    `${Math.max(...all).toFixed(0)}), ${percent} % compared with the first; ` +
    `Postgres ${storesUs.toFixed(0)} µs; at most ${peak.toFixed(0)} MiB`
  );
}
