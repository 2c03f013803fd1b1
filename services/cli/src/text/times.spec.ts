import { expect, test } from "vitest";
import { readSeconds, readTime } from "./times.ts";

const now = new Date("2026-11-23T08:00:00Z");

test.each([
  ["2027-01-31", "2027-01-31T00:00:00.000Z"],
  ["2027-01-31T12:30Z", "2027-01-31T12:30:00.000Z"],
  ["2027-01-31T12:30:15+02:00", "2027-01-31T10:30:15.000Z"],
  ["30d", "2026-12-23T08:00:00.000Z"],
  ["90m", "2026-11-23T09:30:00.000Z"],
])("%s is the time %s", (text, time) => {
  expect(readTime(text, "--expires", now).toISOString()).toBe(time);
});

test.each(["soon", "2027-13-01", "2027-01-31T12:30", "30", "-1d", ""])("%j is no time", (text) => {
  expect(() => readTime(text, "--expires", now)).toThrow("--expires must be a date");
});

test("a duration is read in seconds", () => {
  expect(["0", "45s", "30m", "24h", "7d"].map((text) => readSeconds(text, "--grace"))).toEqual([
    0, 45, 1_800, 86_400, 604_800,
  ]);
  for (const text of ["24", "h", "0h", "1w"]) {
    expect(() => readSeconds(text, "--grace")).toThrow("--grace must be a duration");
  }
});
