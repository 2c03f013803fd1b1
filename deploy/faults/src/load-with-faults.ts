import { setTimeout as sleep } from "node:timers/promises";
import { randomOf, type SeededRandom, uuidOf } from "@tollgate/e2e/random";
import type { FaultCluster } from "./cluster.ts";
import type { Customer } from "./customers.ts";
import { faults } from "./faults.ts";
import type { Observation } from "./observation.ts";
import { workloads } from "./workloads.ts";

export interface FaultPlan {
  seed: number;
  /** The minimum number of requests. */
  requests: number;
  /** The minimum number of faults. */
  faults: number;
  clients: number;
  /** Replicas of every service. */
  replicas: number;
}

export interface FaultLoadResult {
  observations: Observation[];
  /** How often each fault was injected, by its name. */
  injected: Map<string, number>;
  /** Faults that could not be injected, such as wiping a stream that does not exist. */
  failedInjections: number;
}

const pauseBetweenFaultsMs = [200, 1_500] as const;

/**
 * Sends requests and injects faults until there were enough of both; then heals all faults. The
 * seed determines the requests and the faults, but not at which moment of a request a fault occurs.
 */
export async function runLoadWithFaults(
  plan: FaultPlan,
  cluster: FaultCluster,
  customers: readonly Customer[],
): Promise<FaultLoadResult> {
  const observations: Observation[] = [];
  const injected = new Map<string, number>();
  let failedInjections = 0;
  let started = 0;
  let injectedCount = 0;
  const isRunning = () => observations.length < plan.requests || injectedCount < plan.faults;

  async function runClient(): Promise<void> {
    while (isRunning()) {
      const index = started;
      started += 1;
      observations.push(...(await runWorkload(plan.seed, index, cluster, customers)));
    }
  }

  async function injectFaults(): Promise<void> {
    const affected = new Set<string>();
    const pending: Promise<void>[] = [];
    for (let index = 0; isRunning(); index += 1) {
      const random = randomOf(plan.seed, "fault", index);
      await sleep(random.integer(...pauseBetweenFaultsMs));
      const fault = pickWeighted(faults, random);
      const target = fault.target(random, cluster);
      if (affected.has(target)) continue;
      affected.add(target);
      const injection = fault.inject(cluster, target, random).then(
        () => {
          injectedCount += 1;
          injected.set(fault.name, (injected.get(fault.name) ?? 0) + 1);
        },
        () => {
          failedInjections += 1;
        },
      );
      pending.push(injection.finally(() => affected.delete(target)));
    }
    await Promise.all(pending);
  }

  await Promise.all([injectFaults(), ...Array.from({ length: plan.clients }, runClient)]);
  return { observations, injected, failedInjections };
}

function runWorkload(
  seed: number,
  index: number,
  { edges }: FaultCluster,
  customers: readonly Customer[],
): Promise<Observation[]> {
  const random = randomOf(seed, "request", index);
  const context = {
    edge: () => random.pick(edges),
    customer: random.pick(customers),
    random,
    uuid: () => uuidOf(seed, index),
    isFaultFree: false,
  };
  return pickWeighted(workloads, random).run(context);
}

function pickWeighted<T extends { weight: number }>(list: readonly T[], random: SeededRandom): T {
  let remaining = random.integer(
    1,
    list.reduce((sum, { weight }) => sum + weight, 0),
  );
  for (const item of list) {
    remaining -= item.weight;
    if (remaining <= 0) return item;
  }
  throw new Error("cannot pick from an empty list");
}
