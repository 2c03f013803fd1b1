import { GatewayError } from "@tollgate/core/errors";

const maxPerMinute = 120;
const minuteMs = 60_000;

/** Limits the tests of providers that a process runs: 120 in any minute. */
export class TestRate {
  readonly #now: () => Date;
  #times: number[] = [];

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Counts a test. Throws `rate_limited` if 120 were counted in the last minute. */
  take(): void {
    const now = this.#now().getTime();
    this.#times = this.#times.filter((at) => now - at < minuteMs);
    const [first] = this.#times;
    if (first !== undefined && this.#times.length >= maxPerMinute) {
      const retryAfterSeconds = Math.ceil((minuteMs - (now - first)) / 1_000);
      const message = `Providers are tested at most ${maxPerMinute} times a minute.`;
      throw new GatewayError("rate_limited", message, { retryAfterSeconds });
    }
    this.#times.push(now);
  }
}
