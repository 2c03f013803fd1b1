import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { vendors } from "@tollgate/providers";
import { SlotFailure } from "@tollgate/upstream/failure";
import { expect, test } from "vitest";
import { completionOfProvider, hasChoices } from "./completion.ts";

const context = { id: "1", kind: vendors.openai };

const choice = { index: 0, message: { role: "assistant", content: "x" }, finish_reason: "stop" };

test.each<[string, unknown]>([
  ["a choice", { choices: [choice] }],
  ["an error that is null", { choices: [choice], error: null }],
  ["empty errors", { choices: [{ ...choice, error: null }], error: "" }],
])("a response with %s is a completion", (_, value) => {
  expect(completionOfProvider(value as JsonObject, context)).toBe(value);
});

test.each<[string, unknown]>([
  ["null", null],
  ["an array", [choice]],
  ["an object without choices", {}],
  ["an object whose choices are not objects", { choices: [null] }],
  ["an error", { error: { message: "no" } }],
  ["an error beside a choice", { error: { message: "no" }, choices: [choice] }],
  ["an error that is a string", { error: "overloaded", choices: [choice] }],
  ["an error in a choice", { choices: [choice, { ...choice, error: { code: 502 } }] }],
  ["a choice that finished with an error", { choices: [{ ...choice, finish_reason: "error" }] }],
])("%s is not a completion", (_, value) => {
  expect(hasChoices(value)).toBe(false);
  if (!isJsonObject(value)) return;
  expect(() => completionOfProvider(value, context)).toThrow(SlotFailure);
});

test("a response without choices can only be a chunk", () => {
  expect(hasChoices({ choices: [] })).toBe(true);
  expect(() => completionOfProvider({ choices: [] }, context)).toThrow(SlotFailure);
});
