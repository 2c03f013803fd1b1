import type { Commands } from "../commands.ts";

/** 16-bit PCM, 16 kHz, mono. */
const BYTES_PER_SECOND = 32_000;
const PARTIAL_BYTES = BYTES_PER_SECOND / 2;
const DEFAULT_FINAL_MS = 2_000;

/** An event as the gateway's own wire has it. */
export interface LiveEvent {
  type: "transcription.partial" | "transcription.final" | "transcription.refine";
  text: string;
  start?: number;
  end?: number;
  speaker?: string;
  duration?: number;
  lang?: string;
}

/** Produces the events of a live transcriber from the amount of audio. */
export interface Transcriber {
  /** Returns the events for this many more bytes of audio. */
  addAudio(bytes: number): LiveEvent[];
  /** Returns the remaining events after the end of the audio. */
  flush(): LiveEvent[];
}

export function createTranscriber({ final_ms, no_duration, flood }: Commands): Transcriber {
  const finalBytes = ((final_ms ?? DEFAULT_FINAL_MS) / 1_000) * BYTES_PER_SECOND;
  let receivedBytes = 0;
  let partials = 0;
  let finals = 0;

  const speaker = () => (finals % 2 === 0 ? "A" : "B");
  const partial = (): LiveEvent => ({
    type: "transcription.partial",
    text: `word ${partials}`,
    speaker: speaker(),
  });

  function final(untilBytes: number): LiveEvent {
    const start = (finals * finalBytes) / BYTES_PER_SECOND;
    const end = untilBytes / BYTES_PER_SECOND;
    const text = `sentence ${finals}`;
    const attributed = {
      type: "transcription.final",
      text,
      start,
      end,
      speaker: speaker(),
    } as const;
    finals += 1;
    return no_duration ? attributed : { ...attributed, duration: end - start };
  }

  return {
    addAudio(bytes) {
      receivedBytes += bytes;
      const events: LiveEvent[] = [];
      for (let copy = 0; copy < (flood ?? 0); copy += 1) events.push(partial());
      while ((partials + 1) * PARTIAL_BYTES <= receivedBytes) {
        partials += 1;
        events.push(partial());
        while ((finals + 1) * finalBytes <= partials * PARTIAL_BYTES) {
          events.push(final((finals + 1) * finalBytes));
        }
      }
      return events;
    },
    flush() {
      const events: LiveEvent[] = [];
      while ((finals + 1) * finalBytes <= receivedBytes)
        events.push(final((finals + 1) * finalBytes));
      if (receivedBytes > finals * finalBytes) events.push(final(receivedBytes));
      events.push({ type: "transcription.refine", text: "all of it", lang: "en" });
      return events;
    },
  };
}
