import { expect, test } from "vitest";
import { isKeyText } from "./key-text.ts";

test("the whole text of a key is known as one, and not what lists show of it", () => {
  expect(isKeyText(`sk-tollgate-${"a".repeat(43)}`)).toBe(true);
  expect(isKeyText("sk-tollgate-o5rA…aAVc")).toBe(false);
  expect(isKeyText("sk-tollgate-")).toBe(false);
  expect(isKeyText("production")).toBe(false);
});
