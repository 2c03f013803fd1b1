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
  /**
   * Settling waits for this: growing a settled hold would create another, which is never settled.
   */
  #growing: Promise<unknown> | undefined;
  #hasStopped = false;

  constructor(hold: Hold) {
    this.#hold = hold;
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
   * Adds what a cost exceeds the hold by, as far as the wallet and the budgets have it. Resolves with
   * the cost to report: what is then held, which no other request can take before the capture. Where
   * the ledger is away for longer than `coverTimeoutMs`, it is the whole cost, and the capture charges
   * what is available.
   */
  async cover(cost: NanoUsd): Promise<NanoUsd> {
    await this.#growing;
    const pauses = new Pauses({ firstMs: coverRetryMs, forMs: coverTimeoutMs });
    while (cost > this.amount) {
      try {
        await this.grow(cost - this.amount);
        break;
      } catch (error) {
        if (isExhausted(error)) break;
        if (!(await pauses.next())) return cost;
      }
    }
    return minOf(cost, this.amount);
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

  /** See `Hold.leave`. */
  leave(): void {
    this.#hold.leave();
  }

  stopExtending(): void {
    this.#hold.stopExtending();
  }
}

function isExhausted(error: unknown): boolean {
  return error instanceof GatewayError && error.code === "credit_balance_exhausted";
}
