import type { JsonObject } from "../json.ts";
import { SlotFailure } from "./failure.ts";

/**
 * Whether an answer, or a part of one, says that it failed, however well its status speaks. Some
 * providers name their error in every answer: null, false or nothing where there is none.
 */
export function reportsError({ error }: JsonObject): boolean {
  return Boolean(error);
}

/** Raises a SlotFailure for an answer that reports an error. */
export function refuseReportedError(answer: JsonObject): void {
  if (reportsError(answer)) {
    throw new SlotFailure("rejected", "the provider's answer reports an error");
  }
}
