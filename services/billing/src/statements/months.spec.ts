import { expect, test } from "vitest";
import { monthsDue, monthText } from "./months.ts";

const due = (last: string | undefined, now: string) =>
  monthsDue(last === undefined ? undefined : new Date(`${last}-01T00:00:00Z`), new Date(now)).map(
    monthText,
  );

test("a month is due an hour after its end, in UTC", () => {
  expect(due("2026-11", "2027-01-01T00:59:59.999Z")).toEqual([]);
  expect(due("2026-11", "2027-01-01T01:00:00Z")).toEqual(["2026-12"]);
  expect(due("2026-11", "2027-01-01T00:30:00-01:00")).toEqual(["2026-12"]);
});

test("the first statement is of the month before, and missed months follow in order", () => {
  expect(due(undefined, "2026-03-15T00:00:00Z")).toEqual(["2026-02"]);
  expect(due("2025-11", "2026-03-15T00:00:00Z")).toEqual(["2025-12", "2026-01", "2026-02"]);
  expect(due("2026-02", "2026-03-15T00:00:00Z")).toEqual([]);
  expect(due("2020-01", "2026-03-15T00:00:00Z")).toHaveLength(12);
});
