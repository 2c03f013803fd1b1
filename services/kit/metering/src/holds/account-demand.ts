import { minOf, type NanoUsd } from "@tollgate/core/money";
import type { SharedHold } from "./shared-hold.ts";

/** What the requests of one account ask of its wallet, round by round. */
export class AccountDemand {
  /** The hold that requests may enter. */
  shared: SharedHold | undefined;
  #requests = 0;
  #held: NanoUsd = 0n;
  #mostHeld: NanoUsd = 0n;
  #taken: NanoUsd = 0n;
  #spent: NanoUsd = 0n;
  #restedBefore = false;

  /** Whether nothing is left to know of it. */
  get isIdle(): boolean {
    return this.#requests === 0 && this.#held === 0n && this.shared === undefined;
  }

  began(held: NanoUsd): void {
    this.#requests += 1;
    this.#restedBefore = false;
    this.grew(held);
  }

  grew(added: NanoUsd): void {
    this.#taken += added;
    this.#held += added;
    if (this.#held > this.#mostHeld) this.#mostHeld = this.#held;
  }

  ended(held: NanoUsd, cost: NanoUsd): void {
    this.#held -= held;
    this.#spent += minOf(held, cost);
  }

  /** Whether no request has been under way since this was last asked. */
  rests(): boolean {
    const restsNow = this.#held === 0n;
    const rested = restsNow && this.#restedBefore;
    this.#restedBefore = restsNow;
    return rested;
  }

  /** Ends a round: how many requests began in it, and what these needed at once. */
  turn(): { requests: number; needed: NanoUsd } {
    const needed = minOf(this.#taken, this.#mostHeld + this.#spent);
    const requests = this.#requests;
    this.#requests = 0;
    this.#mostHeld = this.#held;
    this.#taken = 0n;
    this.#spent = 0n;
    return { requests, needed };
  }
}
