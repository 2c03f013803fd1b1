import { expect, test } from "vitest";
import { TrailingMinute } from "./trailing-minute.ts";

test("what was counted expires within a second after it is a minute old, and never before", () => {
  const minute = new TrailingMinute();
  minute.add(3, 500);
  minute.add(2, 1_500);
  expect([minute.sum(60_499), minute.sum(60_999)]).toEqual([5, 5]);
  expect(minute.sum(61_000)).toBe(2);
  expect(minute.sum(62_000)).toBe(0);
});

test("the time until there is room is that of the oldest counts that must expire for it", () => {
  const minute = new TrailingMinute();
  minute.add(1, 0);
  minute.add(2, 10_000);
  minute.add(4, 20_000);
  expect(minute.msUntil(7, 30_000)).toBe(0);
  expect(minute.msUntil(6, 30_000)).toBe(31_000);
  expect(minute.msUntil(5, 30_000)).toBe(41_000);
  expect(minute.msUntil(0, 30_000)).toBe(51_000);
});

test("what is taken back counts no longer, and nothing is taken back once it has expired", () => {
  const minute = new TrailingMinute();
  minute.add(10, 0);
  minute.subtract(4, 900);
  expect(minute.sum(1_000)).toBe(6);
  expect(minute.sum(70_000)).toBe(0);
  minute.subtract(6, 0);
  expect(minute.sum(70_000)).toBe(0);
});
