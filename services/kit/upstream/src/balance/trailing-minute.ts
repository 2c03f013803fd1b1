const windowMs = 60_000;
const secondMs = 1_000;

/** What was counted within one second, which begins at `at`. */
interface Second {
  readonly at: number;
  count: number;
}

/**
 * A count over the trailing minute. What is counted within one second counts until the last of it is a
 * minute old, so that no 60 seconds have more than the count.
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

  /** Takes back a part of what was added at a time, unless that has expired. */
  takeBack(count: number, addedAt: number): void {
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

  /** Returns how long it takes until at most this much is counted. */
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
