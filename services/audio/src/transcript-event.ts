import type { JsonObject } from "@tollgate/kit/json";

/** What a provider tells of a stream of audio, in the words that the client is told it. */
export interface TranscriptEvent {
  type: "transcription.partial" | "transcription.final" | "transcription.refine";
  text: string;
  start?: number;
  end?: number;
  speaker?: string;
  /** Seconds, on finals. */
  duration?: number;
  /** On refinements: the language that was found. */
  lang?: string;
}

const types: readonly string[] = [
  "transcription.partial",
  "transcription.final",
  "transcription.refine",
];

/** Reads a provider's event; undefined for one of another kind, which concerns nobody. */
export function readTranscriptEvent(value: JsonObject): TranscriptEvent | undefined {
  const { type, text, start, end, speaker, duration, lang } = value;
  if (typeof type !== "string" || !types.includes(type) || typeof text !== "string") {
    return undefined;
  }
  const event: TranscriptEvent = { type: type as TranscriptEvent["type"], text };
  if (isTime(start)) event.start = start;
  if (isTime(end)) event.end = end;
  if (typeof speaker === "string") event.speaker = speaker;
  if (type === "transcription.final" && isTime(duration)) event.duration = duration;
  if (type === "transcription.refine" && typeof lang === "string") event.lang = lang;
  return event;
}

/** Whether a provider's event says that it has failed. */
export function isFailureEvent({ type, error }: JsonObject): boolean {
  return type === "error" || (error !== undefined && error !== null);
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}
