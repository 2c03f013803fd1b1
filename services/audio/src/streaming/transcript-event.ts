import type { JsonObject } from "@tollgate/core/json";
import {
  type TranscriptEvent,
  transcriptEventSchema,
} from "@tollgate/http/forms/live-transcription";
import { reportsError } from "@tollgate/upstream/reported-error";
import { readDuration } from "../durations.ts";

const types: readonly string[] = transcriptEventSchema.shape.type.options;

/** Reads a provider's event. Returns undefined for an event that is not part of a transcript. */
export function readTranscriptEvent(value: JsonObject): TranscriptEvent | undefined {
  const { type, text, start, end, speaker, duration, lang } = value;
  if (typeof type !== "string" || !types.includes(type) || typeof text !== "string") {
    return undefined;
  }
  const event: TranscriptEvent = { type: type as TranscriptEvent["type"], text };
  if (isTime(start)) event.start = start;
  if (isTime(end)) event.end = end;
  // Some providers number the speakers.
  if (typeof speaker === "string" || Number.isSafeInteger(speaker)) event.speaker = String(speaker);
  if (type === "transcription.final") {
    const seconds = readDuration(duration);
    if (seconds !== undefined) event.duration = seconds;
  }
  if (type === "transcription.refine" && typeof lang === "string") event.lang = lang;
  return event;
}

/** Returns whether a provider's event reports that the provider has failed. */
export function isFailureEvent({ type, error }: JsonObject): boolean {
  return type === "error" || reportsError({ error });
}

/** `JSON.parse` reads `1e999` as Infinity, which `JSON.stringify` would write as null. */
function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
