import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import type { SlotFailure } from "./failure.ts";
import { type RefusalReader, reportedFailure } from "./refusal.ts";

/**
 * Returns whether a response, or a chunk of one, reports an error under a status of success. Some
 * providers have an `error` member in every response: null, false or empty where there is none. An object
 * that says nothing is none beside choices.
 */
export function reportsError({ error, choices }: JsonObject): boolean {
  if (Array.isArray(error)) return error.length > 0;
  if (!isJsonObject(error) || !Array.isArray(choices) || choices.length === 0)
    return Boolean(error);
  return sayingMembers.some((name) => Boolean(error[name]));
}

/** The members of an error that say something of it. */
const sayingMembers = [
  "message",
  "msg",
  "code",
  "type",
  "status",
  "status_code",
  "detail",
] as const;

/**
 * Throws a SlotFailure for a response, or a chunk of one, that reports an error. It may be the whole value,
 * or one that the kind knows in a response without choices.
 */
export function refuseReportedError(response: JsonObject, kind: RefusalReader): void {
  const isRefused = !Array.isArray(response.choices) && kind.reportedStatus(response) !== undefined;
  if (!reportsError(response) && response.object !== "error" && !isRefused) return;
  throw reportedErrorFailure(response, kind);
}

/** Returns the failure of a response that is known to report an error. */
export function reportedErrorFailure(response: JsonObject, kind: RefusalReader): SlotFailure {
  return reportedFailure(response, statusOf(response) ?? kind.reportedStatus(response), kind);
}

/** Returns the code of the error where it is an HTTP status of failure, or stands for one. */
function statusOf({ error, code: own }: JsonObject): number | undefined {
  const code = Number(isJsonObject(error) ? (error.code ?? error.status_code) : own);
  const isStatus = Number.isInteger(code) && code >= 400 && code <= 599;
  return isStatus ? code : undefined;
}
