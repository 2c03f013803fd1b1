import { FailureStreak } from "./failure-streak.ts";

/** How many streaks are kept, over all slots. One more forgets the one that failed the longest ago. */
const maxStreaks = 4_096;

/** The failures of one account at one slot. */
export interface AccountStreak {
  readonly slotId: string;
  readonly streak: FailureStreak;
}

/** The streaks of accounts whose last calls of a slot failed. */
export class AccountStreaks {
  /** Ordered by the time of the last failure. */
  readonly #streaks = new Map<string, AccountStreak>();

  get(slotId: string, accountId: string): FailureStreak | undefined {
    return this.#streaks.get(keyOf(slotId, accountId))?.streak;
  }

  /**
   * Returns the streak of an account that has just failed, and makes it the newest. Calls `onForgotten`
   * with a streak that makes room for it.
   */
  touch(
    slotId: string,
    accountId: string,
    onForgotten: (forgotten: AccountStreak) => void,
  ): FailureStreak {
    const key = keyOf(slotId, accountId);
    const known = this.#streaks.get(key) ?? { slotId, streak: new FailureStreak() };
    this.#streaks.delete(key);
    this.#streaks.set(key, known);
    if (this.#streaks.size > maxStreaks) {
      const [oldestKey, oldest] = this.#streaks.entries().next().value as [string, AccountStreak];
      this.#streaks.delete(oldestKey);
      onForgotten(oldest);
    }
    return known.streak;
  }

  delete(slotId: string, accountId: string): void {
    this.#streaks.delete(keyOf(slotId, accountId));
  }
}

/** Neither part has a line break. */
function keyOf(slotId: string, accountId: string): string {
  return `${slotId}\n${accountId}`;
}
