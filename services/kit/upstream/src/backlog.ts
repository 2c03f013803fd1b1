/** A backlog arrives faster than this. Fewer bytes in an interval are newly generated ones. */
const intervalMs = 500;
const intervalBytes = 16 * 1024;
/** A paused sender may need this many intervals to send again. */
const maxSilentIntervals = 4;
/** The most bytes that are read, and the longest time, if the reader does not read. */
const maxBytes = 8 * 1024 * 1024;
const timeoutMs = 30_000;

/**
 * Watches the bytes that a provider sent before the reader of its stream stopped, and that had not arrived
 * because the connection was paused. Calls `end` once they have arrived: when few bytes arrive in an interval
 * in which the connection is not paused, or none in several intervals, or more than a bound in all.
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

  /** Stops the interval while the connection is paused. Safe to repeat. */
  pause(): void {
    clearTimeout(this.#interval);
    this.#interval = undefined;
  }

  /** Begins an interval, after the connection was resumed. */
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
      // Bytes that arrived while this thread was busy are read before the check.
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
