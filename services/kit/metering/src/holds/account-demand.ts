import type { NanoUsd } from "@tollgate/core/money";
import { QuantityDemand } from "./quantity-demand.ts";
import type { SharedHold } from "./shared-hold.ts";

/** What the requests of a round could have shared: see `QuantityDemand.endRound`. */
export interface RoundDemand {
  /** How many requests began. */
  requests: number;
  needed: NanoUsd;
  tokens: bigint;
  /** The most requests that were in progress at once. */
  inProgress: number;
}

/**
 * Measures what the requests that may share a hold reserve, in rounds: those of one key with limits,
 * or of all keys of an account without.
 */
export class AccountDemand {
  /** The hold that new requests may share. */
  shared: SharedHold | undefined;
  readonly #money = new QuantityDemand();
  readonly #tokens = new QuantityDemand();
  readonly #inProgress = new QuantityDemand();
  #requests = 0;
  #wasIdle = false;

  /** Whether there are no requests, so that no record is needed. */
  get isEmpty(): boolean {
    return this.#requests === 0 && this.#inProgress.reserved === 0n && this.shared === undefined;
  }

  beginRequest(held: NanoUsd, tokens = 0n): void {
    this.#requests += 1;
    this.#wasIdle = false;
    this.#money.reserve(held);
    this.#tokens.reserve(tokens);
    this.#inProgress.reserve(1n);
  }

  addHeld(added: NanoUsd): void {
    this.#money.reserve(added);
  }

  endRequest(held: NanoUsd, cost: NanoUsd, tokens = 0n, usedTokens = 0n): void {
    this.#money.end(held, cost);
    this.#tokens.end(tokens, usedTokens);
    this.#inProgress.end(1n, 0n);
  }

  /** Returns whether no request has been in progress since the previous call. */
  checkIdle(): boolean {
    const isIdleNow = this.#inProgress.reserved === 0n;
    const isIdle = isIdleNow && this.#wasIdle;
    this.#wasIdle = isIdleNow;
    return isIdle;
  }

  endRound(): RoundDemand {
    const requests = this.#requests;
    this.#requests = 0;
    return {
      requests,
      needed: this.#money.endRound(),
      tokens: this.#tokens.endRound(),
      inProgress: Number(this.#inProgress.endRound()),
    };
  }
}
