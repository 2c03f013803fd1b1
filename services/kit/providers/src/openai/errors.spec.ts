import { expect, test } from "vitest";
import { responsesEventFailure } from "./errors.ts";

test.each([
  ["insufficient_quota", "You exceeded your current quota.", "key_or_bill", undefined],
  [
    "rate_limit_exceeded",
    "Rate limit reached for gpt-5 on TPM. Please try again in 11.054s.",
    "rate",
    11_054,
  ],
  ["rate_limit_exceeded", "Request too large for gpt-5.", "too_large", undefined],
  [
    "context_length_exceeded",
    "Your input exceeds the context window of this model.",
    "too_large",
    undefined,
  ],
  ["server_error", "No.", "trouble", undefined],
  ["server_is_overloaded", "No.", "trouble", undefined],
  ["of_next_year", "No.", "trouble", undefined],
  ["invalid_prompt", "No.", "bad_request", undefined],
])("an error in a stream of Responses: %s, %s", (code, message, meaning, retryAfterMs) => {
  const expected = { meaning, retryAfterMs };
  const error = { code, message };
  const failed = { type: "response.failed", response: { status: "failed", error } };
  expect(responsesEventFailure(failed)).toMatchObject(expected);
  expect(responsesEventFailure({ type: "error", ...error })).toMatchObject(expected);
});
