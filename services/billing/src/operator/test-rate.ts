import { GatewayError } from "@tollgate/core/errors";

const maxPerMinute = 120;
const minuteMs = 60_000;

/** How many tests of providers a process runs: 120 in any minute. */
export class TestRate {
  readonly #now: () => Date;
  #times: number[] = [];

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Throws `rate_limited` where the minute has its tests already. */
  take(): void {
    const now = this.#now().getTime();
    this.#times = this.#times.filter((at) => now - at < minuteMs);
    const [first] = this.#times;
    if (first !== undefined && this.#times.length >= maxPerMinute) {
      const retryAfterSeconds = Math.ceil((minuteMs - (now - first)) / 1_000);
      const message = `Providers are tried ${maxPerMinute} times a minute at most.`;
      throw new GatewayError("rate_limited", message, { retryAfterSeconds });
    }
    this.#times.push(now);
  }
}
