import { expect, test } from "vitest";
import { storableText } from "./storable-text.ts";

test("what a database does not store is replaced, and a long text is cut", () => {
  expect(storableText("a\0b\ud800c", 4)).toBe("a\u{fffd}b\u{fffd}");
  expect(storableText("a\u{1f600}", 2)).toBe("a\u{fffd}");
});
