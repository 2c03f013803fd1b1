import type { Slot } from "@tollgate/catalog/model";
import { highestPrices } from "@tollgate/catalog/pricing";
import { GatewayError } from "@tollgate/core/errors";
import { costOf, minOf, type Price, unitsFor } from "@tollgate/core/money";
import type { Generation } from "@tollgate/generation/generation";
import { contentBytes } from "../wires/chat/content.ts";
import type { Chunk } from "../wires/chunk.ts";
import { affordableTokens } from "./estimate.ts";
import { type HoldPlan, leastBound, likelyBytesPerToken, sliceTokens } from "./hold-plan.ts";

/** How much of a stream may be delivered, by what its hold covers. */
export interface StreamAllowance {
  /**
   * Returns whether a chunk may be delivered now, and counts it. Starts to grow the hold when half
   * a slice is left of it, while chunks are delivered.
   */
  admit(chunk: Pick<Chunk, "choices">): boolean;
  /**
   * Waits for the growth of a hold that is used up. Resolves with whether more may be delivered:
   * false where the wallet has nothing available.
   */
  wait(): Promise<boolean>;
  /** Lets the hold grow no more. */
  stopGrowing(): void;
  /** Whether `wait` has resolved with false. */
  readonly isUsedUp: boolean;
}

/** The allowance of a stream whose hold covers all of it. */
const unlimited: StreamAllowance = {
  admit: () => true,
  wait: async () => true,
  stopGrowing() {},
  isUsedUp: false,
};

/**
 * Creates the allowance of a stream that `slot` generates with an output ceiling of `maxTokens` for
 * each choice.
 */
export function createStreamAllowance(
  generation: Generation,
  plan: HoldPlan,
  slot: Slot,
  maxTokens: bigint,
): StreamAllowance {
  const { output: price } = highestPrices(slot.pricing, plan.bound.promptTokens);
  if (!plan.isGrowing || price === undefined || price.picoUsd === 0n) return unlimited;
  const { choices } = plan.bound;
  const slice = sliceTokens * choices;
  const least = leastBound(plan.bound);
  const affordable = affordableTokens(least, slot, generation.held, plan.pricesOf) * choices;
  return new GrowingAllowance(generation, {
    price,
    slice,
    covered: minOf(affordable, slice),
    ceiling: maxTokens * choices,
  });
}

/** Output tokens of all choices, and the price of one. */
interface OutputTokens {
  price: Price;
  slice: bigint;
  covered: bigint;
  ceiling: bigint;
}

/**
 * The allowance of a hold that grows. Delivered tokens are estimated by their bytes, as those of the
 * prompt are: a provider reports its count at the end only.
 */
class GrowingAllowance implements StreamAllowance {
  readonly #generation: Pick<Generation, "grow">;
  readonly #tokens: OutputTokens;
  #coveredBytes = 0;
  #growAtBytes = 0;
  #deliveredBytes = 0;
  #growing: Promise<void> | undefined;
  #isRefused = false;
  #isStopped = false;
  #isUsedUp = false;

  constructor(generation: Pick<Generation, "grow">, tokens: OutputTokens) {
    this.#generation = generation;
    this.#tokens = tokens;
    this.#cover(0n);
  }

  admit({ choices }: Pick<Chunk, "choices">) {
    let bytes = 0;
    for (const { delta } of choices) bytes += contentBytes(delta);
    if (bytes > 0 && this.#isSpent()) return false;
    this.#deliveredBytes += bytes;
    if (this.#deliveredBytes > this.#growAtBytes && !this.#isRefused) void this.#startGrowing();
    return true;
  }

  async wait() {
    await this.#growing;
    // Requests that held the wallet's money may have ended since a growth was refused.
    if (this.#isSpent()) await this.#startGrowing();
    this.#isUsedUp = this.#isSpent();
    return !this.#isUsedUp;
  }

  stopGrowing() {
    this.#isStopped = true;
  }

  get isUsedUp() {
    return this.#isUsedUp;
  }

  #isSpent(): boolean {
    return this.#deliveredBytes >= this.#coveredBytes;
  }

  #cover(added: bigint): void {
    const { covered, slice, ceiling } = this.#tokens;
    this.#tokens.covered = covered + added;
    // The provider itself stops at the ceiling.
    const isAll = this.#tokens.covered >= ceiling;
    const bytes = Number(this.#tokens.covered * likelyBytesPerToken);
    this.#coveredBytes = isAll ? Number.POSITIVE_INFINITY : bytes;
    this.#growAtBytes = this.#coveredBytes - Number((slice * likelyBytesPerToken) / 2n);
  }

  async #startGrowing(): Promise<void> {
    if (this.#isStopped) return;
    this.#growing ??= this.#grow().finally(() => {
      this.#growing = undefined;
    });
    await this.#growing;
  }

  async #grow(): Promise<void> {
    const { price, slice, covered, ceiling } = this.#tokens;
    const wanted = minOf(ceiling - covered, slice);
    const cost = costOf([{ quantity: wanted, price }]);
    try {
      const added = await this.#generation.grow(cost);
      this.#isRefused = false;
      this.#cover(added >= cost ? wanted : unitsFor(added, price));
    } catch (error) {
      this.#isRefused = isExhausted(error);
      // A stream does not end because the ledger is away, which grants no other request either.
      if (!this.#isRefused) this.#cover(wanted);
    }
  }
}

function isExhausted(error: unknown): boolean {
  return error instanceof GatewayError && error.code === "credit_balance_exhausted";
}
