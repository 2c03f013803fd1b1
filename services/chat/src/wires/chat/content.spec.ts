import { expect, test } from "vitest";
import { TextSample } from "../../tokenizer/text-sample.ts";
import { addContent, contentBytes } from "./content.ts";

test("counts the texts of a message and of its tool calls", () => {
  const calls = [
    { type: "function", function: { name: "ab", arguments: "{}" } },
    { type: "custom", custom: { name: "abc", input: "ls 🌍" } },
    { index: 0, custom: { input: "-l" } },
    null,
    { type: "custom" },
  ];
  const message = { content: "x", reasoning: "why", refusal: null, tool_calls: calls };
  const sample = new TextSample();
  addContent(message, sample);
  expect(sample.pieces()).toEqual(["xwhyab{}abcls 🌍-l"]);
  expect(contentBytes(message)).toBe(Buffer.byteLength("xwhyab{}abcls 🌍-l"));
});

test("reasoning under two names is counted once", () => {
  expect(contentBytes({ reasoning: "why", reasoning_content: "why" })).toBe(3);
});
