import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "./failure.ts";

/**
 * Whether an answer, or a part of one, says that it failed, however well its status speaks. Some
 * providers name their error in every answer: null, false or nothing where there is none.
 */
export function reportsError({ error }: JsonObject): boolean {
  return Array.isArray(error) ? error.length > 0 : Boolean(error);
}

/**
 * Raises a SlotFailure for an answer that reports an error. It may be the request's fault, which
 * one client could make again and again: it does not speak against the slot.
 */
export function refuseReportedError(answer: JsonObject): void {
  if (!reportsError(answer)) return;
  const status = statusOf(answer);
  const details = status === undefined ? {} : { status };
  throw new SlotFailure("unusable", "the provider's answer reports an error", details);
}

/** The status that the answer should have had, where its error's code is one. */
function statusOf({ error }: JsonObject): number | undefined {
  const code = isJsonObject(error) ? error.code : undefined;
  return typeof code === "number" && code >= 400 && code <= 599 ? code : undefined;
}
