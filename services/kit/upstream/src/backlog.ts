/** A backlog arrives faster: less is what the provider generates meanwhile. */
const intervalMs = 500;
const intervalBytes = 16 * 1024;
/** So many intervals may pass until a sender that was paused sends again. */
const maxSilentIntervals = 4;
/** The most that is read, and for how long where the reader does not read. */
const maxBytes = 8 * 1024 * 1024;
const timeoutMs = 30_000;

/**
 * What a provider had sent when the reader of its stream stopped, and had not arrived because the
 * connection was paused. Calls `end` once it has arrived: when little arrives in an interval in which the
 * connection is not paused, or nothing in several, or more than a bound.
 */
export class Backlog {
  readonly #end: () => void;
  readonly #timeout: NodeJS.Timeout;
  #interval: NodeJS.Timeout | undefined;
  #intervalBytes = 0;
  #silentIntervals = 0;
  #bytes = 0;

  constructor(isPaused: boolean, end: () => void) {
    this.#end = end;
    this.#timeout = setTimeout(end, timeoutMs).unref();
    if (!isPaused) this.resume();
  }

  /** Records that so many bytes have arrived. */
  add(bytes: number): void {
    this.#intervalBytes += bytes;
    this.#bytes += bytes;
    if (this.#bytes > maxBytes) this.#end();
  }

  /** The connection is paused. Safe to repeat. */
  pause(): void {
    clearTimeout(this.#interval);
    this.#interval = undefined;
  }

  /** It is not paused any more. */
  resume(): void {
    this.#intervalBytes = 0;
    this.#silentIntervals = 0;
    this.#awaitInterval();
  }

  stop(): void {
    clearTimeout(this.#timeout);
    this.pause();
  }

  #awaitInterval(): void {
    this.pause();
    const interval = setTimeout(() => {
      // What has arrived while this thread did something else is read before the check.
      setImmediate(() => {
        if (this.#interval === interval) this.#check();
      });
    }, intervalMs);
    this.#interval = interval.unref();
  }

  #check(): void {
    const bytes = this.#intervalBytes;
    this.#intervalBytes = 0;
    this.#silentIntervals = bytes === 0 ? this.#silentIntervals + 1 : maxSilentIntervals;
    const hasArrived = bytes < intervalBytes && this.#silentIntervals >= maxSilentIntervals;
    if (hasArrived) this.#end();
    else this.#awaitInterval();
  }
}
