import type { Segment, Word } from "./transcription-adapter.ts";

/** Joins the words that one speaker says without another in between. */
export function segmentsOf(words: readonly Word[]): Segment[] {
  const segments: Segment[] = [];
  for (const { word, start, end, speaker } of words) {
    const last = segments.at(-1);
    if (last !== undefined && last.speaker === speaker) {
      last.text += ` ${word}`;
      last.end = end;
    } else {
      segments.push({ text: word, start, end, ...(speaker === undefined ? {} : { speaker }) });
    }
  }
  return segments;
}
