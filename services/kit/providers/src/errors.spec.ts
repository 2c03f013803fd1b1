import { expect, test } from "vitest";
import { vendors } from "./index.ts";

const kinds = Object.values(vendors);
const names = Object.keys(vendors);

test.each([
  { error: { message: "no good" } },
  { message: "no good" },
  { message: { detail: [{ msg: "no good" }, { msg: "nor this" }] } },
  { detail: "no good" },
  { detail: { message: "no good" } },
  { detail: [{ type: "value_error", loc: ["body"], msg: "no good" }] },
  { errors: [{ code: 5021, message: "no good" }], success: false },
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
