import { expect, test } from "vitest";
import { maskKeys, shownKey } from "./key-form.ts";

const key = `sk-tollgate-${"abcd".repeat(10)}xyz`;

test("keys within a text are masked as lists show them, and all else stays", () => {
  const text = `No model is called "${key}", and ${key}/x is none.`;
  expect(maskKeys(text)).toBe(
    `No model is called "${shownKey(key)}", and ${shownKey(key)}/x is none.`,
  );
  expect(maskKeys("sk-tollgate-… or sk-other-abcdefgh")).toBe("sk-tollgate-… or sk-other-abcdefgh");
});

test("a key that is cut, or in other letters, is masked as well", () => {
  expect(maskKeys(key.slice(0, 40))).not.toContain("abcdabcd");
  expect(maskKeys(key.toUpperCase())).not.toContain("ABCDABCD");
});
