import { setTimeout as sleep } from "node:timers/promises";
import { type Asking, families } from "./families.ts";
import { faults } from "./faults.ts";
import type { Grounds } from "./grounds.ts";
import { type Random, randomOf, uuidOf } from "./random.ts";
import type { Customer, Told } from "./told.ts";

export interface Plan {
  seed: number;
  /** At least so many of each. */
  requests: number;
  faults: number;
  clients: number;
  /** Of every service. */
  replicas: number;
}

export interface Campaign {
  told: Told[];
  /** How often each fault was inflicted. */
  inflicted: Map<string, number>;
  /** Faults that were drawn and could not be inflicted, such as wiping a stream that is away. */
  missed: number;
}

const pauseBetweenFaultsMs = [200, 1_500] as const;

/**
 * Clients ask and faults strike until there were enough of both; then all is healed. What is asked
 * and what strikes is the seed's; when a fault strikes within a request is the machine's.
 */
export async function campaign(
  plan: Plan,
  grounds: Grounds,
  customers: readonly Customer[],
): Promise<Campaign> {
  const told: Told[] = [];
  const inflicted = new Map<string, number>();
  let missed = 0;
  let asked = 0;
  let struck = 0;
  const goesOn = () => told.length < plan.requests || struck < plan.faults;

  async function client(): Promise<void> {
    while (goesOn()) {
      const index = asked;
      asked += 1;
      told.push(...(await ask(plan.seed, index, grounds, customers)));
    }
  }

  async function strike(): Promise<void> {
    const harmed = new Set<string>();
    const healing: Promise<void>[] = [];
    for (let index = 0; goesOn(); index += 1) {
      const random = randomOf(plan.seed, "fault", index);
      await sleep(random.whole(...pauseBetweenFaultsMs));
      const fault = weighted(faults, random);
      const target = fault.target(random, grounds);
      if (harmed.has(target)) continue;
      harmed.add(target);
      const work = fault.inflict(grounds, target, random).then(
        () => {
          struck += 1;
          inflicted.set(fault.name, (inflicted.get(fault.name) ?? 0) + 1);
        },
        () => {
          missed += 1;
        },
      );
      healing.push(work.finally(() => harmed.delete(target)));
    }
    await Promise.all(healing);
  }

  await Promise.all([strike(), ...Array.from({ length: plan.clients }, client)]);
  return { told, inflicted, missed };
}

function ask(
  seed: number,
  index: number,
  { edges }: Grounds,
  customers: readonly Customer[],
): Promise<Told[]> {
  const random = randomOf(seed, "request", index);
  const asking: Asking = {
    edge: () => random.pick(edges),
    customer: random.pick(customers),
    random,
    uuid: () => uuidOf(seed, index),
    isFair: false,
  };
  return weighted(families, random).ask(asking);
}

function weighted<T extends { weight: number }>(list: readonly T[], random: Random): T {
  let left = random.whole(
    1,
    list.reduce((sum, { weight }) => sum + weight, 0),
  );
  for (const one of list) {
    left -= one.weight;
    if (left <= 0) return one;
  }
  throw new Error("a list to choose from is not empty");
}
