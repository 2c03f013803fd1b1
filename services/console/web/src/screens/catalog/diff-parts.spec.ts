import { DiffLineKind } from "@tollgate/proto/tollgate/v1/catalog";
import { expect, test } from "vitest";
import { shownParts } from "./diff-parts.ts";

const same = (text: string) => ({ kind: DiffLineKind.SAME, text });
const added = { kind: DiffLineKind.ADDED, text: "new" };
const numbers = Array.from({ length: 20 }, (_, index) => same(String(index)));

test("changed lines are shown with three lines on both sides, and what is far is left out", () => {
  const lines = [...numbers.slice(0, 10), added, ...numbers.slice(10)];
  const parts = shownParts(lines).map((part) => part.lines.map(({ text }) => text));
  expect(parts).toEqual([["7", "8", "9", "new", "10", "11", "12"]]);
  expect(shownParts(lines)[0]?.isGap).toBe(true);
});

test("changes near each other are one part, and far ones are two", () => {
  const near = [added, ...numbers.slice(0, 6), added];
  expect(shownParts(near)).toEqual([{ lines: near, isGap: false }]);
  const far = [added, ...numbers.slice(0, 7), added];
  expect(shownParts(far).map(({ isGap }) => isGap)).toEqual([false, true]);
});

test("texts that are the same have no parts", () => {
  expect(shownParts(numbers)).toEqual([]);
});
