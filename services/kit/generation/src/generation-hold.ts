import { GatewayError } from "@tollgate/core/errors";
import { minOf, type NanoUsd } from "@tollgate/core/money";
import { Pauses } from "@tollgate/core/pauses";
import type { Hold, SettledHold } from "@tollgate/metering/holds/hold";

/** A ledger that restarts is back by then. */
const coverTimeoutMs = 5_000;
const coverRetryMs = 200;

/** The hold of a generation. It grows during the call, and covers the cost at the end. */
export class GenerationHold {
  readonly #hold: Hold;
  readonly #most: NanoUsd;
  /**
   * Settling waits for this: growing a settled hold would create another, which is never settled.
   */
  #growing: Promise<unknown> | undefined;
  #hasStopped = false;

  /** `most` is the most that the hold grows to by `cover`. */
  constructor(hold: Hold, most: NanoUsd) {
    this.#hold = hold;
    this.#most = most;
  }

  get amount() {
    return this.#hold.amount;
  }

  get walletBalance() {
    return this.#hold.walletBalance;
  }

  get rates() {
    return this.#hold.rates;
  }

  /** See `Generation.grow`. */
  async grow(estimate: NanoUsd): Promise<NanoUsd> {
    if (this.#hasStopped) throw new Error("a generation that has ended cannot grow its hold");
    const added = this.#hold.grow(estimate);
    this.#growing = Promise.allSettled([this.#growing, added]);
    return added;
  }

  /**
   * Adds what a cost exceeds the hold by, at most up to the most that the call can cost: a provider
   * that ignores its output ceiling is not paid more. The response reports what is then held, and
   * no other request can take it before the capture. Where the ledger is away for longer than
   * `coverTimeoutMs`, the rest is uncollected.
   */
  async cover(cost: NanoUsd): Promise<void> {
    await this.#growing;
    const due = minOf(cost, this.#most);
    const pauses = new Pauses({ firstMs: coverRetryMs, forMs: coverTimeoutMs });
    while (due > this.amount) {
      try {
        await this.grow(due - this.amount);
        return;
      } catch (error) {
        if (isExhausted(error) || !(await pauses.next())) return;
      }
    }
  }

  /** Lets the hold grow no more. Returns what must be awaited before `settle`, if it is growing. */
  stopGrowing(): Promise<unknown> | undefined {
    this.#hasStopped = true;
    return this.#growing;
  }

  /** See `Hold.settle`. */
  settle(cost: NanoUsd, tokens: bigint): SettledHold {
    return this.#hold.settle(cost, tokens);
  }

  stopExtending(): void {
    this.#hold.stopExtending();
  }
}

function isExhausted(error: unknown): boolean {
  return error instanceof GatewayError && error.code === "credit_balance_exhausted";
}
