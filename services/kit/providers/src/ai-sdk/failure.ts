import { APICallError, JSONParseError } from "@ai-sdk/provider";
import { SlotFailure } from "@tollgate/upstream/failure";
import { notJson } from "@tollgate/upstream/provider-response";
import { reportedFailure } from "@tollgate/upstream/refusal";
import { UnsentCall } from "@tollgate/upstream/unsent";
import { memberOf } from "../refusal-message.ts";
import type { LanguageModelKind } from "./kind.ts";
import type { ProviderFetch } from "./provider-fetch.ts";

/**
 * Returns the error to throw for a call that failed: the signal's reason when it was aborted (in an
 * UnsentCall before the request was sent), else the failure of the provider client where there is one, else
 * what the package reports.
 */
export function toSlotFailure(
  kind: LanguageModelKind,
  error: unknown,
  sent: ProviderFetch,
  signal: AbortSignal,
): unknown {
  const failure = sent.failure();
  if (signal.aborted) return failure instanceof UnsentCall ? failure : signal.reason;
  if (failure !== undefined) return failure;
  if (error instanceof SlotFailure) return error;
  if (APICallError.isInstance(error)) {
    const { statusCode = 0, cause } = error;
    const event = memberOf(bodyOf(error), "error");
    if (statusCode >= 400) {
      return eventFailure(kind, error, kind.statusOfEvent(event) ?? statusCode);
    }
    if (JSONParseError.isInstance(cause)) return notJson(cause);
  }
  return new SlotFailure("rejected", "the provider's response is not a message", { cause: error });
}

/** Returns the failure for an error event of a stream. */
export function eventFailure(
  { refusals }: LanguageModelKind,
  cause: unknown,
  status: number | undefined,
): SlotFailure {
  return reportedFailure(bodyOf(cause), status, refusals, cause);
}

/** Returns the event in the form of a refusal's body: packages have it in the error that they make of it. */
function bodyOf(error: unknown): unknown {
  const text = memberOf(error, "responseBody");
  const parsed = typeof text === "string" ? parseJsonText(text) : undefined;
  const event = memberOf(error, "data") ?? memberOf(error, "value") ?? parsed ?? error;
  return memberOf(event, "error") === undefined ? { error: event } : event;
}

function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
