import type { Model, Slot } from "@tollgate/catalog/model";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { type Measurement, measureUnits, type UsedUnits } from "@tollgate/metering/measurement";
import { billableSeconds, isPlausible, readDuration } from "../durations.ts";
import { secondsOfFile } from "./file-seconds.ts";
import { audioTokenRate, measureTranscript, readTranscriptTokens } from "./transcript-tokens.ts";
import type { Upload } from "./upload.ts";

type TranscribedFile = Pick<Upload, "audio" | "contentType">;

/** Where a file was transcribed, and for which alias. */
interface Transcriber {
  slot: Slot;
  model: Pick<Model, "audioTokensPerSecond">;
}

/**
 * Returns what a transcribed file is billed. At a slot priced by tokens, it is those that the provider
 * reports, else those of the seconds of the file and of the text.
 */
export function measureFile(
  response: JsonObject,
  file: TranscribedFile,
  elapsedMs: number,
  { slot, model }: Transcriber,
): Measurement {
  const rate = audioTokenRate(model);
  if (slot.pricing.unitType !== "tokens") {
    return measureUnits(usageOfFile(response, file, elapsedMs, slot, rate), slot);
  }
  const { usage, text } = response;
  const measured = secondsOf(response, file, elapsedMs, slot, rate);
  return measureTranscript({ usage, text }, slot, rate, measured);
}

/** Returns the seconds that a transcribed file is billed, rounded up; see `secondsOf`. */
export function usageOfFile(
  response: JsonObject,
  file: TranscribedFile,
  elapsedMs: number,
  slot: Slot,
  audioTokensPerSecond: number,
): UsedUnits {
  const { seconds, basis } = secondsOf(response, file, elapsedMs, slot, audioTokensPerSecond);
  const providerUsage = isJsonObject(response.usage) ? response.usage : undefined;
  return { quantity: billableSeconds(seconds), basis, providerUsage };
}

/**
 * Returns the seconds of a file: those that the provider reports, else the time that the call took. Where
 * the slot measures what is not reported, it is the end of the last word or segment, at least the length
 * of a file whose length is certain; else that of the tokens of audio, else the length of the file.
 */
function secondsOf(
  response: JsonObject,
  file: TranscribedFile,
  elapsedMs: number,
  { measuresUnreported }: Slot,
  audioTokensPerSecond: number,
): { seconds: number; basis: string } {
  const reported = reportedSeconds(response);
  if (reported !== undefined) return { seconds: reported, basis: "provider" };
  if (!measuresUnreported) return { seconds: elapsedMs / 1_000, basis: "wall_clock" };
  const measured = secondsOfFile(file);
  const end = Math.max(lastEnd(response.words), lastEnd(response.segments));
  // The most that the size allows is not certain, unlike a header or samples.
  const isCertain = measured.basis !== "file_bytes";
  if (end > (isCertain ? measured.seconds : 0)) return { seconds: end, basis: "timestamps" };
  const { audio = 0n } = readTranscriptTokens(response.usage, "") ?? {};
  if (isCertain || audio === 0n) return measured;
  return { seconds: Number(audio) / audioTokensPerSecond, basis: "audio_tokens" };
}

/** Returns the duration by the names of OpenAI's and of Mistral's API. */
export function reportedSeconds({ duration, usage }: JsonObject): number | undefined {
  const { seconds, prompt_audio_seconds }: JsonObject = isJsonObject(usage) ? usage : {};
  return readDuration(duration) ?? readDuration(seconds) ?? readDuration(prompt_audio_seconds);
}

/** Returns the latest end of words or segments; 0 where none has a plausible one. */
function lastEnd(parts: unknown): number {
  let latest = 0;
  for (const part of Array.isArray(parts) ? parts : []) {
    const end = isJsonObject(part) ? part.end : undefined;
    if (typeof end === "number" && isPlausible(end) && end > latest) latest = end;
  }
  return latest;
}
