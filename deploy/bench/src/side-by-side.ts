import { expectedAnswer, openJsonLoad } from "./json-load.ts";
import { metered } from "./meter.ts";
import type { Stage } from "./stage.ts";
import { median } from "./statistics.ts";
import { expectedChunks, openStreamLoad } from "./stream-load.ts";
import type { Subject } from "./subject.ts";
import { type Workload, workloadNamed } from "./workload.ts";

/** What can be said of a comparison, for `parseArgs`. */
export const sideBySideFlags = {
  workload: { type: "string", default: "1 KB saturated" },
  /** Each takes every contender in turn, so that a drift of the machine meets them all. */
  rounds: { type: "string", default: "10" },
  seconds: { type: "string", default: "3" },
  heat: { type: "string", default: "25" },
} as const;

/**
 * Puts gateways under the same load in turn, and tells the CPU that each takes for a request or a
 * stream beside the first's: microseconds, the median of the rounds and the least and most of them.
 */
export async function compareSideBySide(
  stage: Stage,
  contenders: readonly Subject[],
  flags: Readonly<Record<keyof typeof sideBySideFlags, string>>,
): Promise<string> {
  const workload = workloadNamed(flags.workload);
  const [rounds, seconds, heatSeconds] = [flags.rounds, flags.seconds, flags.heat].map(Number) as [
    number,
    number,
    number,
  ];
  const loads = await Promise.all(contenders.map((one) => openLoad(stage, one, workload)));
  for (const load of loads) await load.run(heatSeconds);
  const seen = contenders.map((): Sample[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { pids }] of contenders.entries()) {
      const processes = {
        gateway: pids,
        stores: [stage.postgres.pid],
        simulator: stage.provider.pid,
      };
      const { given: count, cost } = await metered(processes, async () =>
        loads[index]?.run(seconds),
      );
      const each = (ms: number) => (ms * 1_000) / (count ?? 1);
      seen[index]?.push({
        gatewayUs: each(cost.gatewayCpuMs),
        storesUs: each(cost.storesCpuMs),
        perSecond: (count ?? 0) / seconds,
      });
    }
  }
  for (const load of loads) await load.close();
  const first = median((seen[0] ?? []).map(({ gatewayUs }) => gatewayUs));
  const lines = contenders.map(({ title }, index) => lineOf(title, seen[index] ?? [], first));
  return `${workload.name}, ${rounds} rounds\n${lines.join("\n")}\n`;
}

interface Sample {
  gatewayUs: number;
  storesUs: number;
  perSecond: number;
}

function lineOf(title: string, samples: readonly Sample[], firstUs: number): string {
  const all = samples.map(({ gatewayUs }) => gatewayUs);
  const middle = median(all);
  const stores = median(samples.map(({ storesUs }) => storesUs));
  const rate = median(samples.map(({ perSecond }) => perSecond));
  const percent = ((middle / firstUs - 1) * 100).toFixed(1);
  return (
    `${title}: ${middle.toFixed(0)} µs of CPU each (${Math.min(...all).toFixed(0)} to ` +
    `${Math.max(...all).toFixed(0)}), ${percent} % to the first; ` +
    `Postgres ${stores.toFixed(0)} µs; ${rate.toFixed(0)} a second`
  );
}

/** Streams are counted too, of which each client reads one a second. */
async function openLoad({ provider }: Stage, subject: Subject, workload: Workload) {
  if (workload.kind === "json") {
    const load = openJsonLoad(subject, workload, await expectedAnswer(provider.url, workload));
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
