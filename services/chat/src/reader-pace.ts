/** A provider may give up a response that is not read for some time. */
const stallMs = 5_000;
/** The most that is read, after such a stall, before the end of the connection is seen. */
const seenWithinMs = 5_000;

/**
 * How fast the reader of a stream takes its parts. A client that stops reading makes the
 * provider wait until it breaks the stream. What the client has received is then charged.
 */
export class ReaderPace {
  #stalledUntil = Number.NEGATIVE_INFINITY;

  /** Records that the reader took a part which was ready at `from`, by the monotonic clock. */
  record(from: number, now = performance.now()): void {
    if (now - from >= stallMs) this.#stalledUntil = now;
  }

  /** Whether a stream that breaks at `now` may have been broken because its reader did not read. */
  isCause(now = performance.now()): boolean {
    return now - this.#stalledUntil <= seenWithinMs;
  }
}
