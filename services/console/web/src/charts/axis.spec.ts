import { expect, test } from "vitest";
import { axisOf } from "./axis.ts";

test("a chart without any amount has the line of zero alone", () => {
  const { y, ticks } = axisOf(0, 200, 10);
  expect(ticks).toEqual([0]);
  expect(y(0)).toBe(200);
});

test("a single request has no fractions beside it", () => {
  expect(axisOf(1, 200, 10).ticks).toEqual([0, 1]);
});

test("an axis ends at or above the largest amount", () => {
  const { ticks, y } = axisOf(9_300, 200, 10);
  expect(ticks.at(-1)).toBeGreaterThanOrEqual(9_300);
  expect(y(ticks.at(-1) ?? 0)).toBeGreaterThanOrEqual(10);
});
