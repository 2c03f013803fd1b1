import type { Slot } from "@tollgate/catalog/model";
import type { SharedSlotUse } from "./shared-slot-uses.ts";
import { TrailingMinute } from "./trailing-minute.ts";

/** The wait of a client while a slot has as many calls in progress as its limit. */
const parallelWaitMs = 1_000;
/** The weight of the newest response in the average latency. */
const newestShare = 0.3;
/** The average latency halves in this time without a response, so that a slow slot is called again. */
const latencyHalfLifeMs = 10_000;

/** The calls of this process to one slot. */
export class SlotLoad {
  inProgress = 0;
  /** Until when the calls of all processes have filled the slot. */
  fullUntil = Number.NEGATIVE_INFINITY;
  readonly requests = new TrailingMinute();
  readonly tokens = new TrailingMinute();
  #latencyMs = 0;
  #respondedAt = Number.NEGATIVE_INFINITY;

  /**
   * Returns how long a call of so many tokens must wait for the slot's limits; 0 if it may be sent now. A call
   * with more tokens than the limit waits until none are counted.
   */
  waitMs({ limits = {} }: Slot, tokens: number, now: number): number {
    const { requestsPerMinute, tokensPerMinute, parallel } = limits;
    if (now < this.fullUntil) return this.fullUntil - now;
    if (parallel !== undefined && this.inProgress >= parallel) return parallelWaitMs;
    const forRequests =
      requestsPerMinute === undefined ? 0 : this.requests.msUntil(requestsPerMinute - 1, now);
    if (tokensPerMinute === undefined) return forRequests;
    const most = Math.max(0, tokensPerMinute - tokens);
    return Math.max(forRequests, this.tokens.msUntil(most, now));
  }

  /** Returns the average time to a response, which fades with the time since the last one; 0 without one. */
  latencyMs(now: number): number {
    return this.#latencyMs * 0.5 ** ((now - this.#respondedAt) / latencyHalfLifeMs);
  }

  /** Adds the time to a response to the average. */
  addLatency(ms: number, now: number): void {
    const isFirst = this.#latencyMs === 0;
    this.#latencyMs = isFirst ? ms : ms * newestShare + this.#latencyMs * (1 - newestShare);
    this.#respondedAt = now;
  }
}

/** One call of a slot, which counts as in progress until it ends. */
export class SlotUse {
  readonly #load: SlotLoad;
  readonly #now: () => number;
  readonly #tokens: number;
  readonly #startedAt: number;
  readonly #shared: SharedSlotUse | undefined;
  #hasEnded = false;

  constructor(load: SlotLoad, tokens: number, now: () => number, shared?: SharedSlotUse) {
    this.#shared = shared;
    this.#load = load;
    this.#now = now;
    this.#tokens = tokens;
    this.#startedAt = now();
    load.inProgress += 1;
    load.requests.add(1, this.#startedAt);
    if (tokens > 0) load.tokens.add(tokens, this.#startedAt);
  }

  /** Records that the slot has responded with a whole response, or with the first chunk of a stream. */
  respond(): void {
    const now = this.#now();
    this.#load.addLatency(now - this.#startedAt, now);
  }

  /** Ends the call, once. `tokens` are those that it used, where they are known. */
  end(tokens = this.#tokens): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#shared?.end(tokens);
    this.#load.inProgress -= 1;
    if (tokens < this.#tokens) this.#load.tokens.subtract(this.#tokens - tokens, this.#startedAt);
    else if (tokens > this.#tokens) this.#load.tokens.add(tokens - this.#tokens, this.#now());
  }
}
