import { SlotFailure } from "@tollgate/upstream/failure";
import { expect, test } from "vitest";
import { hasChoices, requireCompletion } from "./provider-answer.ts";

const choice = { index: 0, message: { role: "assistant", content: "x" }, finish_reason: "stop" };

test.each<[string, unknown]>([
  ["a choice", { choices: [choice] }],
  ["an error that is null", { choices: [choice], error: null }],
  ["an error that says nothing", { choices: [{ ...choice, error: null }], error: "" }],
])("an answer with %s is one", (_, value) => {
  expect(requireCompletion(value)).toBe(value);
});

test.each<[string, unknown]>([
  ["null", null],
  ["an array", [choice]],
  ["one without choices", {}],
  ["one of choices that are none", { choices: [null] }],
  ["an error", { error: { message: "no" } }],
  ["an error beside a choice", { error: { message: "no" }, choices: [choice] }],
  ["an error in a word", { error: "overloaded", choices: [choice] }],
  ["an error of a choice", { choices: [choice, { ...choice, error: { code: 502 } }] }],
  ["a choice that ended in an error", { choices: [{ ...choice, finish_reason: "error" }] }],
])("%s is no answer", (_, value) => {
  expect(hasChoices(value)).toBe(false);
  expect(() => requireCompletion(value)).toThrow(SlotFailure);
});

test("an answer of no choices is a chunk at most", () => {
  expect(hasChoices({ choices: [] })).toBe(true);
  expect(() => requireCompletion({ choices: [] })).toThrow(SlotFailure);
});
