import { expect, test } from "vitest";
import { periodOfOptions } from "./usage-period.ts";

const now = new Date("2026-11-23T15:30:00Z");

test.each([
  [{}, "2026-10-25T00:00", "2026-11-24T00:00"],
  [{ from: "2026-11-01" }, "2026-11-01T00:00", "2026-11-24T00:00"],
  [{ from: "2026-11-01", to: "2026-11-02" }, "2026-11-01T00:00", "2026-11-02T00:00"],
  [{ to: "2026-11-01" }, "2026-10-02T00:00", "2026-11-01T00:00"],
  [{ from: "2026-11-22T22:00Z", to: "2026-11-23T02:00Z" }, "2026-11-22T22:00", "2026-11-23T02:00"],
])("%o is the period from %s to %s", (options, from, to) => {
  const period = periodOfOptions(options, now);
  expect(period).toEqual({ from: new Date(`${from}Z`), to: new Date(`${to}Z`) });
});

test.each([
  { from: "yesterday" },
  { from: "2026-02-30" },
  { from: "2026-11-01T08:30Z" },
  { to: "2026-11-01T24:00Z" },
  { from: "2026-11-01T08:00" },
  { from: "2026-11-24" },
  { from: "2026-11-02", to: "2026-11-01" },
  { from: "2026-11-01", to: "2026-11-01" },
])("%o is refused", (options) => {
  expect(() => periodOfOptions(options, now)).toThrow(/--from|--to/);
});
