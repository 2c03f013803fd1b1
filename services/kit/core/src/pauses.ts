import { setTimeout as sleep } from "node:timers/promises";

export interface PauseOptions {
  firstMs: number;
  /** Each pause is twice as long as the one before, and at most this long. Default: `firstMs`. */
  maxMs?: number;
  /** All pauses end within this time of the first attempt. By default, there is no limit. */
  forMs?: number;
  /** Ends a pause. */
  signal?: AbortSignal | undefined;
}

/** The pauses between the attempts of something that is tried until it succeeds. */
export class Pauses {
  readonly #maxMs: number;
  readonly #untilMs: number;
  readonly #signal: AbortSignal | undefined;
  #nextMs: number;

  constructor({
    firstMs,
    maxMs = firstMs,
    forMs = Number.POSITIVE_INFINITY,
    signal,
  }: PauseOptions) {
    this.#nextMs = firstMs;
    this.#maxMs = maxMs;
    this.#untilMs = performance.now() + forMs;
    this.#signal = signal;
  }

  /**
   * Resolves with true after the next pause; with false at once where the pause would end after the
   * time limit. Rejects with the signal's `AbortError` when it aborts.
   */
  async next(): Promise<boolean> {
    const pauseMs = this.#nextMs;
    if (performance.now() + pauseMs > this.#untilMs) return false;
    this.#nextMs = Math.min(pauseMs * 2, this.#maxMs);
    await sleep(pauseMs, undefined, { signal: this.#signal });
    return true;
  }
}
