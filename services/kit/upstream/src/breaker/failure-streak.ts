/** Failures in a row after which a slot is taken out. */
export const failuresToOpen = 5;
/** How long a slot stays out before a trial call. Doubled each time that the trial call fails. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/** Failures in a row, and when the next trial call may follow once they have taken a slot out. */
export class FailureStreak {
  failures = 0;
  #pauseMs = firstPauseMs;
  #failedAt = Number.NEGATIVE_INFINITY;
  #isTrialPending = false;

  /**
   * Whether a trial call may be made. `recoveredAt` is when the slot last recovered for all: failures
   * before that need no pause.
   */
  isDue(now: number, recoveredAt = Number.NEGATIVE_INFINITY): boolean {
    if (this.#isTrialPending) return false;
    return this.#failedAt < recoveredAt || now >= this.#failedAt + this.#pauseMs;
  }

  /** Records that a trial call is made. `fail` or `abandon` must follow, or the streak ends. */
  startTrial(): void {
    this.#isTrialPending = true;
  }

  fail(now: number): void {
    this.failures += 1;
    if (this.#isTrialPending) this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    this.#isTrialPending = false;
    this.#failedAt = now;
  }

  /** Ends a trial call without a result for the slot: the next call is the trial. */
  abandon(): void {
    this.#isTrialPending = false;
  }
}
