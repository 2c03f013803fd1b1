import type { ProviderRefusal } from "@tollgate/catalog/provider-refusal";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import type { SlotFailure } from "@tollgate/upstream/failure";
import { reportedFailure } from "@tollgate/upstream/refusal";
import { createRefusalReader } from "../refusal-words.ts";

/** https://docs.claude.com/en/api/errors and https://docs.claude.com/en/api/rate-limits */
export const anthropicRefusals = createRefusalReader({
  codes: {
    authentication_error: "key_or_bill",
    enforced_spend_limit_reached: "key_or_bill",
  },
  codesIn: ({ body }) => [detailOf(body).error_code],
  phrases: [
    [/^(This|Your) organization has been disabled/, "key_or_bill"],
    [/^You have reached your specified (workspace )?(API )?usage limits/, "key_or_bill"],
    [/^Extra usage is required for long context/, "too_large"],
  ],
  readMore: (refusal, message) =>
    /^This request would exceed/.test(message) && hasTokensLeft(refusal)
      ? { meaning: "too_large" }
      : {},
});

/**
 * Returns the HTTP status of an error in Anthropic's form, which an error event in a stream does not
 * have; undefined where its type is unknown.
 */
export function messagesStatusOf(error: unknown): number | undefined {
  const type = isJsonObject(error) && typeof error.type === "string" ? error.type : "";
  return statusOfType[type];
}

/** Returns the failure for an `error` event of a stream. */
export function messagesEventFailure(event: JsonObject): SlotFailure {
  return reportedFailure(event, messagesStatusOf(event.error), anthropicRefusals);
}

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

function detailOf(body: unknown): { error_code?: unknown } {
  const error = isJsonObject(body) ? body.error : undefined;
  const details = isJsonObject(error) ? error.details : undefined;
  return isJsonObject(details) ? details : {};
}

/**
 * Whether half of the tokens of each limit is left, and a request. What is refused then is larger than
 * that by itself, and smaller requests are still served.
 */
function hasTokensLeft({ headers }: ProviderRefusal): boolean {
  const limit = (name: string) => {
    const value = headers[`anthropic-ratelimit-${name}`];
    return value === undefined ? undefined : Number(value);
  };
  const limits = ["tokens", "input-tokens", "output-tokens"].flatMap((name) => {
    const [most, left] = [limit(`${name}-limit`), limit(`${name}-remaining`)];
    return most === undefined || left === undefined ? [] : [{ most, left }];
  });
  if (limits.length === 0 || limit("requests-remaining") === 0) return false;
  return limits.every(({ most, left }) => left * 2 >= most);
}
