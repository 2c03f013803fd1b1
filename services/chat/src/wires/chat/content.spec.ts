import { expect, test } from "vitest";
import { contentCharacters } from "./content.ts";

test("counts the texts of a message and of its tool calls", () => {
  const calls = [
    { type: "function", function: { name: "ab", arguments: "{}" } },
    { type: "custom", custom: { name: "abc", input: "ls 🌍" } },
    { index: 0, custom: { input: "-l" } },
    null,
    { type: "custom" },
  ];
  expect(contentCharacters({ content: "x", refusal: null, tool_calls: calls })).toBe(1 + 4 + 7 + 2);
});
