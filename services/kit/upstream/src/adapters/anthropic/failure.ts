import { APICallError } from "@ai-sdk/provider";
import { isJsonObject } from "@tollgate/core/json";
import { SlotFailure } from "../../failure.ts";

/**
 * The HTTP status of each type of error, which an error event in a stream does not have.
 * https://docs.claude.com/en/api/errors
 */
const statusOfType: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/**
 * Returns the error to throw for a call that failed: the signal's reason when it was aborted, else
 * the failure of the provider client where there is one, else what the library reports.
 */
export function toSlotFailure(error: unknown, failure: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (failure !== undefined) return failure;
  if (error instanceof SlotFailure) return error;
  if (APICallError.isInstance(error) && (error.statusCode ?? 0) >= 400) {
    return reportedFailure(error, error.statusCode);
  }
  return new SlotFailure("rejected", "the provider's response is not a message", { cause: error });
}

/** Returns the failure for an error event of a stream. */
export function eventFailure(error: unknown): SlotFailure {
  const type = isJsonObject(error) && typeof error.type === "string" ? error.type : "";
  return reportedFailure(error, statusOfType[type]);
}

function reportedFailure(cause: unknown, status: number | undefined): SlotFailure {
  const details = status === undefined ? { cause } : { status, cause };
  return new SlotFailure("rejected", "the provider's stream reports an error", details);
}
