import { minOf, type NanoUsd } from "@tollgate/core/money";

/**
 * A hold of the ledger's that requests of one account share. Each sets a part of it aside, without
 * asking the ledger; what the request did not spend is there for the next. What the ledger has of
 * it is always what is unused, the parts of live requests, and what usage events on their way take.
 */
export class SharedHold {
  readonly id: string;
  readonly expiresInMs: number;
  /** A process that slept for long does not know whether it is still there. */
  readonly #trustedUntil: number;
  #unused: NanoUsd;
  #isOpen = true;
  #requests = 0;

  /** What the ledger granted to who asked at `askedAt`, of `performance.now()`. */
  constructor(id: string, amount: NanoUsd, expiresInMs: number, askedAt: number) {
    this.id = id;
    this.expiresInMs = expiresInMs;
    this.#trustedUntil = askedAt + expiresInMs / 2;
    this.#unused = amount;
  }

  /** Whether somebody still needs it. */
  get isLive(): boolean {
    return this.#isOpen || this.#requests > 0;
  }

  /** Sets so much aside for a request, if there is as much. */
  enter(part: NanoUsd): boolean {
    if (part > this.#unused || performance.now() > this.#trustedUntil) return false;
    this.#unused -= part;
    this.#requests += 1;
    return true;
  }

  /**
   * A request that set `part` aside cost so much. Answers what its usage event takes out of the
   * hold: what it spent, or all of its part once nobody else may have the rest.
   */
  settle(part: NanoUsd, cost: NanoUsd): NanoUsd {
    if (!this.#isOpen) return part;
    const spent = minOf(part, cost);
    this.#unused += part - spent;
    return spent;
  }

  /** The request's usage event is safe. */
  leave(): void {
    this.#requests -= 1;
  }

  /** No other request may enter. Answers what is to be given back. */
  close(): NanoUsd {
    const rest = this.#unused;
    this.#isOpen = false;
    this.#unused = 0n;
    return rest;
  }
}
