import { describe, expect, test } from "vitest";
import { endOfString, hasMoreThan } from "./json-text.ts";

test.each([
  [`""`, 1],
  [`"a\\"b"`, 5],
  [`"a\\\\"`, 4],
  [`"${"x".repeat(200)}\\"${"y".repeat(200)}"`, 403],
  [`"${"\\".repeat(200)}"`, 201],
])("the end of a string is found: %s", (text, end) => {
  expect(endOfString(Buffer.from(text), 0)).toBe(end);
});

test.each([
  `"`,
  `"abc`,
  `"${"x".repeat(200)}`,
  `"${"x".repeat(200)}\\`,
  `"${"x".repeat(99)}\\"`,
])("a string that is not closed ends with the text: %s", (text) => {
  expect(endOfString(Buffer.from(text), 0)).toBeGreaterThanOrEqual(text.length);
});

describe("arrays, objects and members are counted", () => {
  test.each([
    ["[[],{}]", 3],
    [`{"a":[{"b":"]]{{:"}],"[[:":"\\"[[[["}`, 6],
    [`["${"[".repeat(300)}",[]]`, 2],
    ["not JSON", 0],
  ])("%s", (text, count) => {
    expect(hasMoreThan(count, Buffer.from(text))).toBe(false);
    if (count > 0) expect(hasMoreThan(count - 1, Buffer.from(text))).toBe(true);
  });
});
