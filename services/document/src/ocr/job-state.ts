import type { JsonObject } from "@tollgate/core/json";

export type JobState = "running" | "done" | "failed";

const done: ReadonlySet<string> = new Set(["done", "completed", "succeeded", "success"]);
const failed: ReadonlySet<string> = new Set(["failed", "error", "cancelled"]);

/**
 * What a provider's status read says of a job, or its answer to OCR at once of itself. Whatever is
 * not known to be an end is none.
 */
export function jobStateOf({ status }: JsonObject): JobState {
  const word = typeof status === "string" ? status.toLowerCase() : "";
  if (done.has(word)) return "done";
  return failed.has(word) ? "failed" : "running";
}
