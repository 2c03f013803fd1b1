import { APICallError, JSONParseError } from "@ai-sdk/provider";
import { SlotFailure } from "@tollgate/upstream/failure";
import { notJson } from "@tollgate/upstream/provider-response";

/**
 * Returns the error to throw for a call that failed: the signal's reason when it was aborted, else
 * the failure of the provider client where there is one, else what the package reports.
 */
export function toSlotFailure(error: unknown, failure: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (failure !== undefined) return failure;
  if (error instanceof SlotFailure) return error;
  if (APICallError.isInstance(error)) {
    const { statusCode = 0, cause } = error;
    if (statusCode >= 400) return eventFailure(error, statusCode);
    if (JSONParseError.isInstance(cause)) return notJson(cause);
  }
  return new SlotFailure("rejected", "the provider's response is not a message", { cause: error });
}

/** Returns the failure for an error event of a stream. */
export function eventFailure(cause: unknown, status: number | undefined): SlotFailure {
  const details = status === undefined ? { cause } : { status, cause };
  return new SlotFailure("rejected", "the provider's stream reports an error", details);
}
