import { setTimeout as sleep } from "node:timers/promises";
import { randomOf, uuidOf } from "@tollgate/e2e/random";
import type { FaultCluster } from "./cluster.ts";
import type { Customer } from "./customers.ts";
import type { Observation } from "./observation.ts";
import type { FaultWorkload } from "./workload.ts";

const pollMs = 50;
const pauseMs = 20;

/** The parts of a run: before, during and after the outage of its database. */
export type LoadPart = "before" | "during" | "after";

/** Clients that send requests, whose results are sorted by the part in which they ended. */
export interface ObservedLoad {
  parts: Readonly<Record<LoadPart, Observation[]>>;
  /** From here on, requests end in this part. */
  enter(part: LoadPart): void;
  /** Resolves when so many requests of a part are complete. */
  untilComplete(part: LoadPart, count: number): Promise<void>;
  /** Ends the load. Resolves with all observations once the last requests have ended. */
  stop(): Promise<Observation[]>;
}

/** Starts clients, each of which sends one workload after the other. */
export function startObservedLoad(
  cluster: FaultCluster,
  customers: readonly Customer[],
  clients: number,
  workloads: readonly { run: FaultWorkload }[],
): ObservedLoad {
  const parts: Record<LoadPart, Observation[]> = { before: [], during: [], after: [] };
  let part: LoadPart = "before";
  let isRunning = true;

  async function runClient(_: unknown, client: number): Promise<void> {
    for (let round = 0; isRunning; round += 1) {
      const index = round * clients + client;
      const random = randomOf(1, "failover", index);
      const observed = await random.pick(workloads).run({
        edge: () => random.pick(cluster.edges),
        customer: random.pick(customers),
        random,
        uuid: () => uuidOf(1, index),
        isFaultFree: false,
      });
      parts[part].push(...observed);
      await sleep(pauseMs);
    }
  }

  const running = Array.from({ length: clients }, runClient);
  return {
    parts,
    enter(next) {
      part = next;
    },
    async untilComplete(name, count) {
      const isComplete = ({ outcome }: Observation) => outcome === "complete";
      while (parts[name].filter(isComplete).length < count) await sleep(pollMs);
    },
    async stop() {
      isRunning = false;
      await Promise.all(running);
      return Object.values(parts).flat();
    },
  };
}
