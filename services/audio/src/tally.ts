import type { TranscriptEvent } from "@tollgate/http/forms/live-transcription";
import type { UsedUnits } from "@tollgate/metering/measurement";
import { isBelievable, secondsIn } from "./seconds.ts";

/** Keeps count of a stream for its meter. */
export interface Tally {
  add(event: TranscriptEvent): void;
  readonly events: number;
  /** The seconds of all finals together; undefined when none told a duration to be believed. */
  finals(): UsedUnits | undefined;
}

export function createTally(): Tally {
  let events = 0;
  let durations = 0;
  let seconds = 0;
  return {
    add({ duration }) {
      events += 1;
      if (duration === undefined) return;
      durations += 1;
      seconds += duration;
    },
    get events() {
      return events;
    },
    finals() {
      if (durations === 0 || !isBelievable(seconds)) return undefined;
      return { quantity: secondsIn(seconds), basis: "provider" };
    },
  };
}
