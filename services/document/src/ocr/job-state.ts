import type { JsonObject } from "@tollgate/core/json";

export type JobState = "running" | "done" | "failed";

const done: ReadonlySet<string> = new Set(["done", "completed", "succeeded", "success"]);
const failed: ReadonlySet<string> = new Set(["failed", "error", "cancelled"]);

/**
 * Returns the state that a provider reports of a job, or of a synchronous OCR response. A status that
 * is not known to be final counts as running.
 */
export function jobStateOf({ status }: JsonObject): JobState {
  const word = typeof status === "string" ? status.toLowerCase() : "";
  if (done.has(word)) return "done";
  return failed.has(word) ? "failed" : "running";
}
