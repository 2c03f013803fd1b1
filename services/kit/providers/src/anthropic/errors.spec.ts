import { expect, test } from "vitest";
import { messagesEventFailure } from "./errors.ts";

test.each([
  ["authentication_error", "No.", "key_or_bill"],
  ["billing_error", "No.", "key_or_bill"],
  ["invalid_request_error", "Your credit balance is too low.", "key_or_bill"],
  ["rate_limit_error", "No.", "rate"],
  ["invalid_request_error", "prompt is too long: 210000 tokens", "too_large"],
  ["overloaded_error", "Overloaded", "trouble"],
  ["api_error", "No.", "trouble"],
  ["of_next_year", "No.", "trouble"],
  ["invalid_request_error", "No.", "bad_request"],
])("an error in a stream of Messages: %s, %s", (type, message, meaning) => {
  expect(messagesEventFailure({ type: "error", error: { type, message } })).toMatchObject({
    meaning,
  });
});
