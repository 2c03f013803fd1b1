import type { Slot } from "@tollgate/catalog/model";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import type { UsedUnits } from "@tollgate/metering/measurement";
import { billableSeconds, isPlausible, readDuration } from "../durations.ts";
import { secondsOfFile } from "./file-seconds.ts";
import type { Upload } from "./upload.ts";

/**
 * Returns the seconds that a transcribed file is billed: those that the provider reports, else the time
 * that the call took. Where the slot measures what is not reported, it is the end of the last word
 * or segment, at least the length of a file whose length is certain; else the length of the file.
 */
export function usageOfFile(
  response: JsonObject,
  upload: Pick<Upload, "audio" | "contentType">,
  elapsedMs: number,
  { measuresUnreported }: Slot,
): UsedUnits {
  const providerUsage = isJsonObject(response.usage) ? response.usage : undefined;
  const reported = readDuration(response.duration) ?? readDuration(providerUsage?.seconds);
  if (reported !== undefined) {
    return { quantity: billableSeconds(reported), basis: "provider", providerUsage };
  }
  if (!measuresUnreported) {
    return { quantity: billableSeconds(elapsedMs / 1_000), basis: "wall_clock", providerUsage };
  }
  const file = secondsOfFile(upload);
  const end = Math.max(lastEnd(response.words), lastEnd(response.segments));
  // The most that the size allows is not certain, unlike a header or samples.
  const least = file.basis === "file_bytes" ? 0 : file.seconds;
  const used = end > least ? { seconds: end, basis: "timestamps" } : file;
  return { quantity: billableSeconds(used.seconds), basis: used.basis, providerUsage };
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
