import type { JsonObject } from "@tollgate/core/json";
import {
  type TranscriptEvent,
  transcriptEventSchema,
} from "@tollgate/http/forms/live-transcription";
import { reportsError } from "@tollgate/upstream/reported-error";
import { readDuration } from "./seconds.ts";

const types: readonly string[] = transcriptEventSchema.shape.type.options;

/** Reads a provider's event; undefined for one of another kind, which concerns nobody. */
export function readTranscriptEvent(value: JsonObject): TranscriptEvent | undefined {
  const { type, text, start, end, speaker, duration, lang } = value;
  if (typeof type !== "string" || !types.includes(type) || typeof text !== "string") {
    return undefined;
  }
  const event: TranscriptEvent = { type: type as TranscriptEvent["type"], text };
  if (isTime(start)) event.start = start;
  if (isTime(end)) event.end = end;
  // Some providers number those who speak.
  if (typeof speaker === "string" || Number.isSafeInteger(speaker)) event.speaker = String(speaker);
  if (type === "transcription.final") {
    const seconds = readDuration(duration);
    if (seconds !== undefined) event.duration = seconds;
  }
  if (type === "transcription.refine" && typeof lang === "string") event.lang = lang;
  return event;
}

/** Whether a provider's event says that it has failed. */
export function isFailureEvent({ type, error }: JsonObject): boolean {
  return type === "error" || reportsError({ error });
}

/** JSON has no way to write what is not finite, though it can be read from it. */
function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
