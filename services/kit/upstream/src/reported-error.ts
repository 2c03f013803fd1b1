import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import type { SlotFailure } from "./failure.ts";
import { type RefusalReader, reportedFailure } from "./refusal.ts";

/**
 * Returns whether a response, or a chunk of one, reports an error under a status of success. Some
 * providers have an `error` member in every response: null, false or empty where there is none. An object
 * whose members are so is none beside choices.
 */
export function reportsError({ error, choices }: JsonObject): boolean {
  if (Array.isArray(error)) return error.length > 0;
  if (!isJsonObject(error) || !Array.isArray(choices) || choices.length === 0)
    return Boolean(error);
  return Object.values(error).some(Boolean);
}

/**
 * Throws a SlotFailure for a response, or a chunk of one, that reports an error. vLLM's is the whole value,
 * and MiniMax's is a code beside choices that are null.
 */
export function refuseReportedError(response: JsonObject, kind: RefusalReader): void {
  const isRefused = !Array.isArray(response.choices) && statusOfBase(response) !== undefined;
  if (!reportsError(response) && response.object !== "error" && !isRefused) return;
  throw reportedErrorFailure(response, kind);
}

/** Returns the failure of a response that is known to report an error. */
export function reportedErrorFailure(response: JsonObject, kind: RefusalReader): SlotFailure {
  return reportedFailure(response, statusOf(response), kind);
}

/** Returns the code of the error where it is an HTTP status of failure, or stands for one. */
function statusOf({ error, code: own, base_resp }: JsonObject): number | undefined {
  const code = Number(isJsonObject(error) ? (error.code ?? error.status_code) : own);
  const isStatus = Number.isInteger(code) && code >= 400 && code <= 599;
  return isStatus ? code : statusOfBase({ base_resp });
}

/** The statuses that MiniMax's codes stand for: https://platform.minimax.io/docs/api-reference/errorcode */
const baseStatuses: ReadonlyMap<unknown, number> = new Map([
  [1002, 429],
  [1004, 401],
  [1008, 402],
  [1026, 400],
  [1027, 400],
  [1039, 429],
  [1041, 429],
  [1042, 400],
  [2013, 400],
  [2045, 429],
  [2049, 401],
  [2056, 429],
]);

/** Returns the status of failure that MiniMax's `base_resp` stands for; undefined for success, and for none. */
function statusOfBase({ base_resp }: JsonObject): number | undefined {
  const code = isJsonObject(base_resp) ? base_resp.status_code : undefined;
  if (code === undefined || code === null || code === 0) return undefined;
  return baseStatuses.get(code) ?? 500;
}
