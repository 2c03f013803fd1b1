import type { TranscriptEvent } from "@tollgate/http/forms/live-transcription";
import type { UsedUnits } from "@tollgate/metering/measurement";
import { billableSeconds, isPlausible } from "../durations.ts";

/** What the events of one transcript report about its usage. */
export interface TranscriptUsage {
  add(event: TranscriptEvent): void;
  /** Returns how many events were added. */
  events(): number;
  /** Returns the sum of the final events' durations; undefined where none reports a plausible one. */
  reported(): UsedUnits | undefined;
}

export function createTranscriptUsage(): TranscriptUsage {
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
    events: () => events,
    reported() {
      if (durations === 0 || !isPlausible(seconds)) return undefined;
      return { quantity: billableSeconds(seconds), basis: "provider" };
    },
  };
}
