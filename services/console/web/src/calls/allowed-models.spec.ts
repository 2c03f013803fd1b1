import { expect, test } from "vitest";
import { isAllowed } from "./allowed-models.ts";

test.each([
  ["gpt-5", [], true],
  ["gpt-5", ["gpt-*"], true],
  ["claude", ["gpt-*", "claude"], true],
  ["gpt-5-mini", ["gpt-5"], false],
  ["gpt-4.1", ["gpt-4x1"], false],
  ["gptX4", ["gpt.4"], false],
  ["house/large-2", ["*/large*"], true],
])("%s within %j: %s", (alias, globs, expected) => {
  expect(isAllowed(alias, globs)).toBe(expected);
});
