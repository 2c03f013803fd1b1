import { expect, test } from "vitest";
import { hideVendorKeys, maskKeys, shownKey } from "./key-form.ts";

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

test.each([
  "Unsupported parameter: 'parallel_tool_calls'.",
  "unknown field skip_special_tokens",
  "pattern_properties of the schema are not supported",
])("a name is not taken for a key of a vendor: %s", (text) => {
  expect(hideVendorKeys(text)).toBe(text);
});

test.each([
  "sk-proj-4fG7hJk2LmN9pQr5",
  "sk_4fG7hJk2LmN9pQr5sTu8",
  "pa-4fG7hJk2LmN9pQr5sTu8",
  "xai-4fG7hJk2LmN9pQr5sTu8",
  "AIzaSyD4fG7hJk2LmN9pQr5",
  "AKIA4FG7HJK2LMN9PQR5",
])("a key of a vendor is hidden: %s", (key) => {
  expect(hideVendorKeys(`Incorrect API key provided: ${key}.`)).toBe(
    "Incorrect API key provided: [key].",
  );
});
