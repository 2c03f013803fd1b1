/**
 * A backlog arrives faster: less is what the provider generates meanwhile. A sender that was paused may
 * take this long to send again.
 */
const intervalMs = 500;
const intervalBytes = 16 * 1024;
/** The most that is read, and for how long where the reader does not read. */
const maxBytes = 8 * 1024 * 1024;
const timeoutMs = 30_000;

/**
 * What a provider had sent when the reader of its stream stopped, and had not arrived because the
 * connection was paused. Calls `end` once it has arrived: when little arrives in an interval in which the
 * connection is not paused, or more than a bound.
 */
export class Backlog {
  readonly #end: () => void;
  readonly #timeout: NodeJS.Timeout;
  #interval: NodeJS.Timeout | undefined;
  #isPaused = true;
  #intervalBytes = 0;
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
    this.#isPaused = true;
    clearInterval(this.#interval);
  }

  /** It is not paused any more. */
  resume(): void {
    this.#isPaused = false;
    this.#intervalBytes = 0;
    clearInterval(this.#interval);
    // What has arrived while this thread did something else is read before the check.
    this.#interval = setInterval(() => setImmediate(() => this.#check()), intervalMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timeout);
    clearInterval(this.#interval);
  }

  #check(): void {
    if (this.#isPaused) return;
    if (this.#intervalBytes < intervalBytes) this.#end();
    this.#intervalBytes = 0;
  }
}
