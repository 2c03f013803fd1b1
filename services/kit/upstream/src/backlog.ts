/** A backlog arrives faster than this. Fewer bytes in an interval are newly generated ones. */
const intervalMs = 500;
const intervalBytes = 16 * 1024;
/** The most bytes that are read, and the longest time: TCP waits at most two minutes between two attempts. */
const maxBytes = 8 * 1024 * 1024;
const timeoutMs = 125_000;

/**
 * Watches the bytes that a provider sent before the reader of its stream stopped, and that had not arrived
 * because the connection was paused. Calls `end` once they have arrived: when the provider must have resumed
 * sending, and few bytes arrive in an interval in which the connection is not paused. Also calls it after a
 * number of bytes and a time.
 */
export class Backlog {
  readonly #end: () => void;
  readonly #timeout: NodeJS.Timeout;
  #interval: NodeJS.Timeout | undefined;
  #intervalBytes = 0;
  #sendsByMs = 0;
  #bytes = 0;

  /** Begins with a connection that is paused. */
  constructor(end: () => void) {
    this.#end = end;
    this.#timeout = setTimeout(end, timeoutMs).unref();
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

  /**
   * Begins an interval, after the connection was resumed. The provider has resumed sending by `sendsByMs`, of
   * `performance.now()`.
   */
  resume(sendsByMs: number): void {
    this.#intervalBytes = 0;
    this.#sendsByMs = sendsByMs;
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
    if (bytes < intervalBytes && performance.now() >= this.#sendsByMs) this.#end();
    else this.#awaitInterval();
  }
}
