import { expect, test } from "vitest";
import { vendors } from "./index.ts";

const kinds = Object.values(vendors);
const names = Object.keys(vendors);

test.each([
  "This model's maximum context length is 8192 tokens.",
  "Your input exceeds the context window of this model.",
  "prompt is too long: 210000 tokens > 200000 maximum",
  "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
  "Input is too long for requested model.",
  "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
  "too many tokens: total number of tokens in the prompt exceeds the limit",
])("every kind knows a prompt that is too long by the words of each vendor: %s", (message) => {
  expect(kinds.filter((kind) => kind.isTooLong(message)).map(({ name }) => name)).toEqual(names);
});

test.each([
  "max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens",
  "Invalid value at 'contents'",
  "",
])("no kind takes another refusal for a prompt that is too long: %j", (message) => {
  expect(kinds.filter((kind) => kind.isTooLong(message))).toEqual([]);
});

test.each([
  { error: { message: "no good" } },
  { message: "no good" },
  { message: { detail: [{ msg: "no good" }, { msg: "nor this" }] } },
  { detail: "no good" },
  { detail: { message: "no good" } },
  { err_msg: "no good" },
  { error: "no good" },
  { message: "", detail: "no good" },
])("every kind finds the message of a refusal in each vendor's form: %j", (body) => {
  const found = kinds.map((kind) => [kind.name, kind.refusalMessage(body)]);
  expect(found).toEqual(names.map((name) => [name, "no good"]));
});

test.each([{ error: {} }, []])("no kind finds a message where there is none: %j", (body) => {
  expect(kinds.filter((kind) => kind.refusalMessage(body) !== undefined)).toEqual([]);
});

test.each([
  ["anthropic", { type: "error", error: { type: "invalid_request_error", message: "its own" } }],
  ["bedrock", { message: "its own", error: { message: "another" } }],
  ["cohere", { id: "1", message: "its own", error: { message: "another" } }],
  ["deepgram", { err_code: "Bad Request", err_msg: "its own", message: "another" }],
  ["elevenlabs", { detail: { status: "bad", message: "its own" }, message: "another" }],
  ["jina", { detail: "its own", message: "another" }],
  ["voyage", { detail: "its own", message: "another" }],
  ["mistral", { object: "error", message: { detail: [{ msg: "its own" }] }, error: "another" }],
  ["xai", { code: "invalid", error: "its own", message: "another" }],
] as const)("a kind's own form comes before that of others: %s", (name, body) => {
  expect(vendors[name].refusalMessage(body)).toBe("its own");
});

test("Gemini also says without the count that a prompt is too long", () => {
  const message = "The input token count exceeds the maximum number of tokens allowed (1048576).";
  expect(vendors.google.isTooLong(message)).toBe(true);
});
