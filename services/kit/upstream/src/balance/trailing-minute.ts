const windowMs = 60_000;
const secondMs = 1_000;

/** The count of one second, which begins at `at`. */
interface Second {
  readonly at: number;
  count: number;
}

/**
 * A count over the trailing minute. The counts of one second expire together, when its end is a minute old, so
 * that no period of 60 seconds has more than the count.
 */
export class TrailingMinute {
  /** Oldest first, at most 61. */
  readonly #seconds: Second[] = [];
  #sum = 0;

  add(count: number, now: number): void {
    const at = secondOf(now);
    const last = this.#seconds.at(-1);
    if (last?.at === at) last.count += count;
    else this.#seconds.push({ at, count });
    this.#sum += count;
  }

  /** Subtracts a part of the count that was added at `addedAt`, unless that has expired. */
  subtract(count: number, addedAt: number): void {
    const at = secondOf(addedAt);
    const second = this.#seconds.findLast((one) => one.at === at);
    if (second === undefined) return;
    second.count -= count;
    this.#sum -= count;
  }

  sum(now: number): number {
    for (;;) {
      const [oldest] = this.#seconds;
      if (oldest === undefined || now < expiryOf(oldest)) return this.#sum;
      this.#seconds.shift();
      this.#sum -= oldest.count;
    }
  }

  /** Returns the time until the count is at most `most`. */
  msUntil(most: number, now: number): number {
    let rest = this.sum(now);
    for (const second of this.#seconds) {
      if (rest <= most) break;
      rest -= second.count;
      if (rest <= most) return expiryOf(second) - now;
    }
    return 0;
  }
}

function secondOf(now: number): number {
  return Math.floor(now / secondMs) * secondMs;
}

function expiryOf({ at }: Second): number {
  return at + secondMs + windowMs;
}
