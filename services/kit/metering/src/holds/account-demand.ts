import { minOf, type NanoUsd } from "@tollgate/core/money";
import type { SharedHold } from "./shared-hold.ts";

/** Measures how much money the requests of one account hold, in rounds. */
export class AccountDemand {
  /** The hold that new requests may share. */
  shared: SharedHold | undefined;
  #requests = 0;
  #held: NanoUsd = 0n;
  #maxHeld: NanoUsd = 0n;
  #added: NanoUsd = 0n;
  #spent: NanoUsd = 0n;
  #wasIdle = false;

  /** Whether this account has no requests, and so needs no record. */
  get isEmpty(): boolean {
    return this.#requests === 0 && this.#held === 0n && this.shared === undefined;
  }

  beginRequest(held: NanoUsd): void {
    this.#requests += 1;
    this.#wasIdle = false;
    this.addHeld(held);
  }

  addHeld(added: NanoUsd): void {
    this.#added += added;
    this.#held += added;
    if (this.#held > this.#maxHeld) this.#maxHeld = this.#held;
  }

  endRequest(held: NanoUsd, cost: NanoUsd): void {
    this.#held -= held;
    this.#spent += minOf(held, cost);
  }

  /** Returns whether no request has been in progress since the previous call. */
  checkIdle(): boolean {
    const isIdleNow = this.#held === 0n;
    const isIdle = isIdleNow && this.#wasIdle;
    this.#wasIdle = isIdleNow;
    return isIdle;
  }

  /**
   * Ends a round. Returns how many requests began in it, and how large a hold they could have
   * shared: the most that was held at once plus what was spent, at most what they held in total.
   */
  endRound(): { requests: number; needed: NanoUsd } {
    const needed = minOf(this.#added, this.#maxHeld + this.#spent);
    const requests = this.#requests;
    this.#requests = 0;
    this.#maxHeld = this.#held;
    this.#added = 0n;
    this.#spent = 0n;
    return { requests, needed };
  }
}
