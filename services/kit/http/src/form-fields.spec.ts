import { expect, test } from "vitest";
import { readForm } from "./form-fields.ts";

const form = {
  mode: { kind: "text", about: "" },
  prompt: { kind: "text", dropped: true, about: "" },
} as const;

test("a field that is too long is refused, and the error names it", () => {
  const reading = () => readForm([{ kind: "oversized", name: "mode" }], form);
  expect(reading).toThrow(expect.objectContaining({ code: "invalid_param", param: "mode" }));
});

test("a field that is not used may have any length, but may be sent only once", () => {
  const prompt = { kind: "oversized", name: "prompt" } as const;
  expect(readForm([prompt], form)).toEqual({ mode: undefined, prompt: undefined });
  const twice = () => readForm([prompt, prompt], form);
  expect(twice).toThrow(expect.objectContaining({ code: "invalid_param", param: "prompt" }));
});

test("an unknown field is refused as unknown, whatever its length", () => {
  const reading = () => readForm([{ kind: "oversized", name: "other" }], form);
  expect(reading).toThrow(expect.objectContaining({ code: "unknown_param", param: "other" }));
});
