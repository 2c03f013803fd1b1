import { keySlotsOf } from "@tollgate/catalog/key-pool";
import type { Model, Slot } from "@tollgate/catalog/model";
import { defaultWeight } from "@tollgate/catalog/slot-sharing";
import { SlotLoad, SlotUse } from "./slot-load.ts";
import { hash32, placeOf, shareOf } from "./weighted-order.ts";

/** A chain, and how its slots share requests. */
export type SharedChain = Pick<Model, "chain" | "balance">;

/** Where no response has been measured, a slot counts as this fast, so that calls in progress decide. */
const leastLatencyMs = 1;

/**
 * Orders the slots of chains, and counts the calls of those that have limits or share requests by their
 * load. Slots with the same id are one.
 */
export class LoadBalancer {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #loads = new Map<string, SlotLoad>();

  /** `random` returns numbers from 0 and below 1. */
  constructor(now: () => number, random: () => number) {
    this.#now = now;
    this.#random = random;
  }

  /**
   * Returns the slots of a chain in the order in which a request attempts them: tier by tier, and within a
   * tier as the model's balance has it. With an affinity, the order is the same for all its requests.
   */
  order({ chain, balance }: SharedChain, affinity: string | undefined): readonly Slot[] {
    if (balance === undefined || chain.length === 1) return chain;
    const hash = affinity === undefined ? undefined : hash32(affinity);
    const ordered: Slot[] = [];
    for (let start = 0; start < chain.length; ) {
      const end = endOfTier(chain, start);
      const tier = chain.slice(start, end);
      if (tier.length > 1) this.#orderTier(tier, balance, hash);
      ordered.push(...tier);
      start = end;
    }
    return ordered;
  }

  /**
   * Returns the slots that a slot of a chain has for the keys of its provider, in the order in which a
   * request is sent with them: at random by their weights, or as its affinity has it.
   */
  orderKeys(slot: Slot, affinity: string | undefined): readonly Slot[] {
    const hash = affinity === undefined ? undefined : hash32(affinity);
    const places = keySlotsOf(slot).map((one) => {
      const { name = "", weight = defaultWeight } = one.provider.key ?? {};
      const share = hash === undefined ? 1 - this.#random() : shareOf(hash, hash32(name));
      return { one, place: placeOf(weight, share) };
    });
    return places.sort((left, right) => left.place - right.place).map(({ one }) => one);
  }

  /** Returns how long the limits of a slot keep a call from it: 0 where they do not. */
  waitMs(slot: Slot, tokens: number): number {
    return this.#loadOf(slot).waitMs(slot, tokens, this.#now());
  }

  /** Counts a call of a slot. `end` of the result must follow. */
  begin(slot: Slot, tokens: number): SlotUse {
    return new SlotUse(this.#loadOf(slot), tokens, this.#now);
  }

  #orderTier(
    tier: Slot[],
    balance: NonNullable<SharedChain["balance"]>,
    affinity: number | undefined,
  ): void {
    const places = new Map<Slot, number>();
    const burdens = new Map<Slot, number>();
    const isByLoad = affinity === undefined && balance !== "weight";
    const now = isByLoad ? this.#now() : 0;
    for (const slot of tier) {
      const { weight = defaultWeight } = slot;
      const share =
        affinity === undefined ? 1 - this.#random() : shareOf(affinity, hash32(slot.id));
      places.set(slot, placeOf(weight, share));
      if (isByLoad) burdens.set(slot, this.#burdenOf(slot, weight, balance, now));
    }
    const compare = (values: Map<Slot, number>, left: Slot, right: Slot) =>
      (values.get(left) ?? 0) - (values.get(right) ?? 0);
    tier.sort((left, right) => compare(burdens, left, right) || compare(places, left, right));
  }

  /** Returns how much a slot has to do for its weight with one more call. */
  #burdenOf(slot: Slot, weight: number, balance: "least_busy" | "latency", now: number): number {
    const load = this.#loadOf(slot);
    const calls = (load.inProgress + 1) / weight;
    if (balance === "least_busy") return calls;
    return calls * Math.max(leastLatencyMs, load.latencyMs(now));
  }

  #loadOf({ id }: Slot): SlotLoad {
    const known = this.#loads.get(id);
    if (known !== undefined) return known;
    const load = new SlotLoad();
    this.#loads.set(id, load);
    return load;
  }
}

function endOfTier(chain: readonly Slot[], start: number): number {
  const tier = chain[start]?.tier;
  let end = start + 1;
  if (tier === undefined) return end;
  while (end < chain.length && chain[end]?.tier === tier) end += 1;
  return end;
}
