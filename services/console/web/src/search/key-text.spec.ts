import { expect, test } from "vitest";
import { isKeyPart, isKeyText } from "./key-text.ts";

test("the whole text of a key is known as one, and not what lists show of it", () => {
  expect(isKeyText(`sk-tollgate-${"a".repeat(43)}`)).toBe(true);
  expect(isKeyText("sk-tollgate-o5rA…aAVc")).toBe(false);
  expect(isKeyText("sk-tollgate-")).toBe(false);
  expect(isKeyText("production")).toBe(false);
});

test("what has more of a key than lists show is not searched for", () => {
  expect(isKeyPart("sk-tollgate-o5rAx")).toBe(true);
  for (const text of ["sk-tollgate-o5rA", "sk-tollgate-o5rA…aAVc", "production of sk-tollgate"]) {
    expect([text, isKeyPart(text)]).toEqual([text, false]);
  }
});
