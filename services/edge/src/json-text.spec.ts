import { describe, expect, test } from "vitest";
import { endOfString, hasMoreThan } from "./json-text.ts";

test.each([
  [`""`, 1],
  [`"a\\"b"`, 5],
  [`"a\\\\"`, 4],
  [`"${"x".repeat(200)}\\"${"y".repeat(200)}"`, 403],
  [`"${"\\".repeat(200)}"`, 201],
])("finds where a string ends: %s", (text, end) => {
  expect(endOfString(Buffer.from(text), 0)).toBe(end);
});

test.each([
  `"`,
  `"abc`,
  `"${"x".repeat(200)}`,
  `"${"x".repeat(200)}\\`,
  `"${"x".repeat(99)}\\"`,
])("one that never ends, ends with the text: %s", (text) => {
  expect(endOfString(Buffer.from(text), 0)).toBeGreaterThanOrEqual(text.length);
});

describe("counts arrays, objects and members", () => {
  test.each([
    ["[[],{}]", 3],
    [`{"a":[{"b":"]]{{:"}],"[[:":"\\"[[[["}`, 6],
    [`["${"[".repeat(300)}",[]]`, 2],
    ["no JSON at all", 0],
  ])("%s", (text, count) => {
    expect(hasMoreThan(count, Buffer.from(text))).toBe(false);
    if (count > 0) expect(hasMoreThan(count - 1, Buffer.from(text))).toBe(true);
  });
});
