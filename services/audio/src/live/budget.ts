import { costOf, type Price, unitsFor } from "@tollgate/core/money";
import type { Generation } from "@tollgate/generation/generation";

/** How much audio a hold is grown by. */
export const secondsAtATime = 60n;
/** The hold is grown so long before it is used up. */
const aheadSeconds = 15;
/** How long a wallet that had nothing is left alone. */
const retryMs = 2_000;

/** Keeps a stream's hold ahead of what the stream uses. */
export interface Budget {
  /**
   * Resolves when so many seconds are paid for. Raises what growing the hold raises, but not
   * before the money is used up.
   */
  cover(seconds: number): Promise<void>;
}

export function createBudget(generation: Generation, price: Price): Budget {
  const step = costOf([{ quantity: secondsAtATime, price }]);
  let growing: Promise<void> = Promise.resolve();
  let failedAt = Number.NEGATIVE_INFINITY;
  let failure: unknown;

  const covered = () => Number(unitsFor(generation.held, price));

  async function grow(seconds: number): Promise<void> {
    while (seconds + aheadSeconds > covered() && performance.now() - failedAt > retryMs) {
      try {
        await generation.grow(step);
      } catch (error) {
        failedAt = performance.now();
        failure = error;
      }
    }
  }

  return {
    async cover(seconds) {
      if (price.picoUsd === 0n) return;
      if (seconds + aheadSeconds > covered()) {
        growing = growing.then(() => grow(seconds));
        await growing;
      }
      if (seconds > covered()) throw failure;
    },
  };
}
