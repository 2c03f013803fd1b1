import type { Commands } from "../commands.ts";

/** Signed 16 bit, 16 kHz, mono. */
const BYTES_A_SECOND = 32_000;
const PARTIAL_BYTES = BYTES_A_SECOND / 2;
const DEFAULT_FINAL_MS = 2_000;

/** Turns amounts of audio into the events that a live transcriber sends. */
export interface Transcriber {
  /** The events that so much more audio brings. */
  hear(bytes: number): object[];
  /** The events that are left once the audio is over. */
  flush(): object[];
}

export function createTranscriber({ final_ms, no_duration, flood }: Commands): Transcriber {
  const finalBytes = ((final_ms ?? DEFAULT_FINAL_MS) / 1_000) * BYTES_A_SECOND;
  let heard = 0;
  let partials = 0;
  let finals = 0;

  const speaker = () => (finals % 2 === 0 ? "A" : "B");
  const partial = () => ({
    type: "transcription.partial",
    text: `word ${partials}`,
    speaker: speaker(),
  });

  function final(untilBytes: number): object {
    const start = (finals * finalBytes) / BYTES_A_SECOND;
    const end = untilBytes / BYTES_A_SECOND;
    const event = { type: "transcription.final", text: `sentence ${finals}`, start, end };
    const said = { ...event, speaker: speaker() };
    finals += 1;
    return no_duration ? said : { ...said, duration: end - start };
  }

  return {
    hear(bytes) {
      heard += bytes;
      const events: object[] = [];
      for (let copy = 0; copy < (flood ?? 0); copy += 1) events.push(partial());
      while ((partials + 1) * PARTIAL_BYTES <= heard) {
        partials += 1;
        events.push(partial());
        while ((finals + 1) * finalBytes <= partials * PARTIAL_BYTES) {
          events.push(final((finals + 1) * finalBytes));
        }
      }
      return events;
    },
    flush() {
      const events: object[] = [];
      while ((finals + 1) * finalBytes <= heard) events.push(final((finals + 1) * finalBytes));
      if (heard > finals * finalBytes) events.push(final(heard));
      events.push({ type: "transcription.refine", text: "all of it", lang: "en" });
      return events;
    },
  };
}
