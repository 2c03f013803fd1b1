import { expect, test } from "vitest";
import { isTooLong, refusalMessage } from "./errors.ts";

test.each([
  [{ error: { message: "no good" } }, "no good"],
  [{ message: "no good" }, "no good"],
  [{ message: { detail: [{ msg: "no good" }] } }, "no good"],
  [{ detail: "no good" }, "no good"],
  [{ detail: { message: "no good" } }, "no good"],
  [{ err_msg: "no good" }, "no good"],
  [{ error: "no good" }, "no good"],
  [{ error: "Incorrect API key provided" }, undefined],
  [{ error: { message: "no good", status: "FAILED_PRECONDITION" } }, undefined],
  [{ error: {} }, undefined],
  [[], undefined],
])("the message of a provider that speaks OpenAI's API is found in %j", (body, message) => {
  expect(refusalMessage(body)).toBe(message);
});

test.each([
  "This model's maximum context length is 8192 tokens.",
  "prompt is too long: 210000 tokens > 200000 maximum",
  "Input is too long for requested model.",
  "Your input exceeds the context window of this model.",
  "The input token count (1100000) exceeds the maximum number of tokens allowed",
  "too many tokens: total number of tokens in the prompt exceeds the limit",
])("a prompt that is too long is known by the words of each vendor: %s", (message) => {
  expect(isTooLong(message)).toBe(true);
});
