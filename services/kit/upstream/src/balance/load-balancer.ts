import { keySlotsOf } from "@tollgate/catalog/key-pool";
import type { Model, Slot } from "@tollgate/catalog/model";
import { defaultWeight } from "@tollgate/catalog/slot-sharing";
import type { CountedCall, SharedSlotUses } from "./shared-slot-uses.ts";
import { SlotLoad, SlotUse } from "./slot-load.ts";
import { hash32, placeOf, shareOf } from "./weighted-order.ts";

/** A chain, and how its slots share requests. */
export type SharedChain = Pick<Model, "chain" | "balance">;

/** The latency of a slot without a measured response, so that its calls in progress decide. */
const leastLatencyMs = 1;

/**
 * Orders the slots of chains, and counts the calls of slots that have limits or share requests by load. Slots
 * with the same id are counted together.
 */
export class LoadBalancer {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #shared: SharedSlotUses | undefined;
  readonly #loads = new Map<string, SlotLoad>();

  /**
   * `random` returns numbers from 0 and below 1. Without `shared`, and while it cannot count, the limits of
   * slots count the calls of this process.
   */
  constructor(now: () => number, random: () => number, shared?: SharedSlotUses) {
    this.#now = now;
    this.#random = random;
    this.#shared = shared;
  }

  /**
   * Returns the slots of a chain in the order in which a request attempts them: tier by tier, and within a
   * tier by the model's balance. Requests with the same affinity get the same order.
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
   * Returns the slots for the keys of a slot's provider, in the order in which a request attempts them: at
   * random by weight, or the same order for the same affinity.
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

  /**
   * Returns how long a call must wait for the limits of a slot, as far as this process knows; 0 if it may be
   * sent now.
   */
  waitMs(slot: Slot, tokens: number): number {
    return this.#loadOf(slot).waitMs(slot, tokens, this.#now());
  }

  /**
   * Counts a call of a slot, until `end` of the result is called. Resolves with the milliseconds to wait if
   * a limit of the slot refuses the call.
   */
  async take(slot: Slot, call: CountedCall): Promise<SlotUse | number> {
    const load = this.#loadOf(slot);
    const isShared = this.#shared !== undefined && hasLimits(slot);
    const taken = isShared ? await this.#shared?.take(slot, call) : undefined;
    if (typeof taken === "number") {
      load.fullUntil = this.#now() + taken;
      return taken;
    }
    const waitMs = taken === undefined ? load.waitMs(slot, call.tokens, this.#now()) : 0;
    return waitMs > 0 ? waitMs : new SlotUse(load, call.tokens, this.#now, taken);
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

  /** Returns the load of a slot with one more call, divided by its weight. */
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

function hasLimits({ limits = {} }: Slot): boolean {
  const { requestsPerMinute, tokensPerMinute, parallel } = limits;
  return (requestsPerMinute ?? tokensPerMinute ?? parallel) !== undefined;
}

function endOfTier(chain: readonly Slot[], start: number): number {
  const tier = chain[start]?.tier;
  let end = start + 1;
  if (tier === undefined) return end;
  while (end < chain.length && chain[end]?.tier === tier) end += 1;
  return end;
}
