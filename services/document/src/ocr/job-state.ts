import { type JsonObject, readCount } from "@tollgate/core/json";

export type JobState = "running" | "done" | "failed";

const states: ReadonlyMap<string, JobState> = new Map<string, JobState>([
  ...stateOfAll("done", ["done", "completed", "succeeded", "success"]),
  ...stateOfAll("failed", ["failed", "error", "cancelled", "canceled", "aborted"]),
  ...stateOfAll("running", [
    ...["accepted", "created", "pending", "queued", "scheduled", "submitted", "waiting"],
    ...["in-progress", "in_progress", "processing", "running", "started"],
  ]),
]);

function stateOfAll(state: JobState, words: readonly string[]) {
  return words.map((word) => [word, state] as const);
}

/**
 * Returns the state that a provider reports of a job, or of a synchronous OCR response. A status that
 * is not known is final where the response has a result.
 */
export function jobStateOf(response: JsonObject): JobState {
  const { status } = response;
  const word = typeof status === "string" ? status.toLowerCase() : "";
  return states.get(word) ?? (hasResult(response) ? "done" : "running");
}

function hasResult({ pages, text }: JsonObject): boolean {
  if (typeof text === "string" && text !== "") return true;
  return Array.isArray(pages) ? pages.length > 0 : (readCount(pages) ?? 0n) > 0n;
}
