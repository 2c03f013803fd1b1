import { minOf, type NanoUsd } from "@tollgate/core/money";

/**
 * A hold in the ledger that requests of one account share. Each reserves a part without a call to
 * the ledger, and returns what it did not spend for the next request. The amount in the ledger is
 * always the sum of what is unused, of the parts of running requests, and of what the usage events
 * that the ledger has not captured yet take.
 */
export class SharedHold {
  readonly id: string;
  readonly expiresInMs: number;
  /** A process that was suspended for long does not know whether the hold has expired. */
  readonly #usableUntilMs: number;
  #unused: NanoUsd;
  #isOpen = true;
  #requests = 0;

  /** `requestedAtMs`, of `performance.now()`, is when the ledger was called for it. */
  constructor(id: string, amount: NanoUsd, expiresInMs: number, requestedAtMs: number) {
    this.id = id;
    this.expiresInMs = expiresInMs;
    this.#usableUntilMs = requestedAtMs + expiresInMs / 2;
    this.#unused = amount;
  }

  /** Whether a request uses it, or may still reserve a part. */
  get isInUse(): boolean {
    return this.#isOpen || this.#requests > 0;
  }

  /** Reserves `part` for a request. Returns false when less is unused, or it may have expired. */
  reserve(part: NanoUsd): boolean {
    if (part > this.#unused || performance.now() > this.#usableUntilMs) return false;
    this.#unused -= part;
    this.#requests += 1;
    return true;
  }

  /**
   * Settles a request that reserved `part` and cost `cost`. Returns what its usage event takes from
   * the hold: what it spent or, once the hold is closed to others, all of its part.
   */
  settle(part: NanoUsd, cost: NanoUsd): NanoUsd {
    if (!this.#isOpen) return part;
    const spent = minOf(part, cost);
    this.#unused += part - spent;
    return spent;
  }

  /** Removes a request whose usage event is durable. */
  removeRequest(): void {
    this.#requests -= 1;
  }

  /** Closes it to further requests. Returns the unused amount, which is to be released. */
  close(): NanoUsd {
    const unused = this.#unused;
    this.#isOpen = false;
    this.#unused = 0n;
    return unused;
  }
}
