import type { Slot } from "@tollgate/catalog/model";
import { TrailingMinute } from "./trailing-minute.ts";

/** How long a client is asked to wait where all of a slot's calls in progress are taken. */
const parallelWaitMs = 1_000;
/** How much a response changes the average of the times to a response. */
const newestShare = 0.3;
/** A time to a response counts for half after this time, so that a slow slot is called again. */
const latencyHalfLifeMs = 10_000;

/** The calls of one slot, by this process. */
export class SlotLoad {
  inProgress = 0;
  readonly requests = new TrailingMinute();
  readonly tokens = new TrailingMinute();
  #latencyMs = 0;
  #respondedAt = Number.NEGATIVE_INFINITY;

  /**
   * Returns how long the slot's limits keep a call of so many tokens from it: 0 where they do not. A call
   * with more tokens than the limit waits until none are counted.
   */
  waitMs({ limits = {} }: Slot, tokens: number, now: number): number {
    const { requestsPerMinute, tokensPerMinute, parallel } = limits;
    if (parallel !== undefined && this.inProgress >= parallel) return parallelWaitMs;
    const forRequests =
      requestsPerMinute === undefined ? 0 : this.requests.msUntil(requestsPerMinute - 1, now);
    if (tokensPerMinute === undefined) return forRequests;
    const most = Math.max(0, tokensPerMinute - tokens);
    return Math.max(forRequests, this.tokens.msUntil(most, now));
  }

  /** Returns the average time to a response, which fades; 0 where none is known. */
  latencyMs(now: number): number {
    return this.#latencyMs * 0.5 ** ((now - this.#respondedAt) / latencyHalfLifeMs);
  }

  responded(ms: number, now: number): void {
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
  #hasEnded = false;

  constructor(load: SlotLoad, tokens: number, now: () => number) {
    this.#load = load;
    this.#now = now;
    this.#tokens = tokens;
    this.#startedAt = now();
    load.inProgress += 1;
    load.requests.add(1, this.#startedAt);
    if (tokens > 0) load.tokens.add(tokens, this.#startedAt);
  }

  /** Records that the slot has responded: with a whole response, or the first chunk of one. */
  respond(): void {
    const now = this.#now();
    this.#load.responded(now - this.#startedAt, now);
  }

  /** Ends the call, once. `tokens` are those that it used, where they are known. */
  end(tokens = this.#tokens): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#load.inProgress -= 1;
    if (tokens < this.#tokens) this.#load.tokens.takeBack(this.#tokens - tokens, this.#startedAt);
    else if (tokens > this.#tokens) this.#load.tokens.add(tokens - this.#tokens, this.#now());
  }
}
