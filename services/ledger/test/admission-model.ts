import { minOf, type NanoUsd } from "@tollgate/core/money";

/** What a call holds under each admission policy. */
export type Policy = "likely stream" | "likely" | "strict" | "whole";

export interface ModelCall {
  policy: Policy;
  /** The most that it can cost, and what is likely. */
  most: NanoUsd;
  likely: NanoUsd;
  /** Less than this is held only where nothing else is. */
  aloneBelow: NanoUsd;
}

/** A wallet and its holds by call. Every amount is what the ledger must have. */
export class ModelWallet {
  balance: NanoUsd;
  readonly holds = new Map<string, NanoUsd>();

  constructor(balance: NanoUsd) {
    this.balance = balance;
  }

  get held(): NanoUsd {
    return [...this.holds.values()].reduce((sum, amount) => sum + amount, 0n);
  }

  get available(): NanoUsd {
    return this.balance - this.held;
  }

  /** Takes the hold of a call. Returns its amount; zero where the call is refused. */
  take(id: string, { policy, most, likely, aloneBelow }: ModelCall): NanoUsd {
    const estimate = policy === "likely" || policy === "likely stream" ? likely : most;
    let granted = minOf(estimate, this.available);
    if (policy === "whole" && granted < estimate) granted = 0n;
    if (policy === "likely stream") {
      const half = halfOf(estimate);
      const eighth = wholeMicro(this.available / 8n);
      granted = minOf(granted, eighth > half ? eighth : half);
    }
    if (this.available < aloneBelow && this.held > 0n) granted = 0n;
    if (granted > 0n) this.holds.set(id, granted);
    return granted;
  }

  /** Adds to a hold. Returns what was added. */
  grow(id: string, estimate: NanoUsd): NanoUsd {
    const added = minOf(estimate, this.available);
    if (added > 0n) this.holds.set(id, (this.holds.get(id) ?? 0n) + added);
    return added;
  }

  /** Captures the usage of a call that reported a cost. Returns what was charged. */
  capture(id: string, cost: NanoUsd, reported: NanoUsd): NanoUsd {
    this.holds.delete(id);
    const charged = minOf(minOf(cost, reported), this.available);
    this.balance -= charged;
    return charged;
  }
}

/** Returns the least that the stream of a likely call holds. */
export function halfOf(estimate: NanoUsd): NanoUsd {
  return wholeMicro((estimate + 1_999n) / 2n);
}

function wholeMicro(amount: NanoUsd): NanoUsd {
  return (amount / 1_000n) * 1_000n;
}
