import { costOf, type Price, unitsFor } from "@tollgate/core/money";
import type { Generation } from "@tollgate/generation/generation";

/** The seconds of audio that a live transcription holds at its start, and adds each time. */
export const holdStepSeconds = 60n;
/** The hold grows once fewer seconds than this are left of it. */
const minSecondsAhead = 15;
/** How long no growth is attempted after one has failed. */
const retryAfterMs = 2_000;

/** The hold of a live transcription, which grows as audio is used. */
export interface GrowingHold {
  /**
   * Resolves when the hold covers the first `seconds` of the stream. Throws what growing the hold
   * throws, but only once the seconds that are held have been used up.
   */
  cover(seconds: number): Promise<void>;
}

/** Creates the growing hold of a generation. `price` is the price of a second. */
export function createGrowingHold(generation: Generation, price: Price): GrowingHold {
  const step = costOf([{ quantity: holdStepSeconds, price }]);
  let growing: Promise<void> = Promise.resolve();
  let failedAt = Number.NEGATIVE_INFINITY;
  let failure: unknown;

  const coveredSeconds = () => Number(unitsFor(generation.held, price));

  async function grow(seconds: number): Promise<void> {
    while (
      seconds + minSecondsAhead > coveredSeconds() &&
      performance.now() - failedAt > retryAfterMs
    ) {
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
      if (seconds + minSecondsAhead > coveredSeconds()) {
        growing = growing.then(() => grow(seconds));
        await growing;
      }
      if (seconds > coveredSeconds()) throw failure;
    },
  };
}
