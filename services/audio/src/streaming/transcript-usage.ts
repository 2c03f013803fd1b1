import type { TranscriptEvent } from "@tollgate/http/forms/live-transcription";
import type { UsedUnits } from "@tollgate/metering/measurement";
import { billableSeconds, isPlausible } from "../durations.ts";

/** How a transcript has ended, and what is billed where its events report no durations. */
export interface TranscriptEnd {
  /** The seconds of audio that the provider was sent. */
  sentSeconds: number;
  /** Whether the provider closed by itself after all audio and the flush: it reported everything. */
  isDrained: boolean;
  /** The seconds that the stream has lasted, where they are the fallback. Default: the audio sent. */
  clockSeconds?: number | undefined;
}

/** A provider may round the end of a final up. */
const endToleranceSeconds = 1;

/** What the events of one transcript report about its usage. */
export class TranscriptUsage {
  readonly #derives: boolean;
  #events = 0;
  #durations = 0;
  #seconds = 0;
  #isDerived = false;
  /** Where the audio of the finals ends, in seconds of the stream. */
  #coveredSeconds = 0;

  /** With `derives`, a final without a duration has the time from the end of those before to its own. */
  constructor({ derives }: { derives: boolean }) {
    this.#derives = derives;
  }

  /** The events that were added. */
  get events(): number {
    return this.#events;
  }

  /** Adds an event that came when the provider had been sent `sentSeconds` of audio. */
  add({ type, start, end, duration }: TranscriptEvent, sentSeconds: number): void {
    this.#events += 1;
    if (type !== "transcription.final") return;
    const before = this.#coveredSeconds;
    const until = end ?? (duration === undefined ? before : (start ?? before) + duration);
    // An end beyond the audio that was sent is wrong, and would hide the audio that follows the final.
    const isTime = until <= sentSeconds + endToleranceSeconds;
    this.#coveredSeconds = Math.max(before, isTime ? until : before + (duration ?? 0));
    if (duration !== undefined) this.#addSeconds(duration);
    else if (this.#derives && end !== undefined) {
      this.#isDerived = true;
      this.#addSeconds(this.#coveredSeconds - before);
    }
  }

  /**
   * Returns what is billed: the durations of the finals, and the audio that was sent after the end of
   * the last one, unless the transcript was drained and the provider reported the durations itself.
   * Without durations it is the fallback. Returns undefined, where nothing is billed, for a stream
   * that was not drained and was sent no audio or returned no event.
   */
  used({ sentSeconds, isDrained, clockSeconds }: TranscriptEnd): UsedUnits | undefined {
    if (!isDrained && (this.#events === 0 || sentSeconds === 0)) return undefined;
    if (this.#durations === 0 || !isPlausible(this.#seconds)) {
      return unreported({ sentSeconds, isDrained, clockSeconds });
    }
    const isComplete = isDrained && !this.#isDerived;
    const rest = isComplete ? 0 : Math.max(0, sentSeconds - this.#coveredSeconds);
    const basis = this.#isDerived ? "timestamps" : rest > 0 ? "finals_and_pcm" : "provider";
    return { quantity: billableSeconds(this.#seconds + rest), basis };
  }

  #addSeconds(seconds: number): void {
    this.#durations += 1;
    this.#seconds += seconds;
  }
}

/**
 * Returns the fallback. A stream without audio used nothing. A client may send audio faster than it
 * plays and then leave, so the elapsed time of a stream that was not drained is at least its audio.
 */
function unreported({ sentSeconds, isDrained, clockSeconds }: TranscriptEnd): UsedUnits {
  const pcm = { quantity: billableSeconds(sentSeconds), basis: "pcm_bytes" };
  if (clockSeconds === undefined) return pcm;
  const elapsed = sentSeconds === 0 ? 0n : billableSeconds(clockSeconds);
  if (!isDrained && pcm.quantity > elapsed) return pcm;
  return { quantity: elapsed, basis: "wall_clock" };
}
