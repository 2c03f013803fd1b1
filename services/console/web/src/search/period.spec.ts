import { expect, test } from "vitest";
import { rangeOf, readPeriod } from "./period.ts";

const now = Date.parse("2026-11-23T08:45:07Z");
const textOf = (search: Parameters<typeof rangeOf>[0]) => {
  const { from, to } = rangeOf(search, "7d", now);
  return `${from.toISOString().slice(0, 16)} ${to.toISOString().slice(0, 16)}`;
};

test("a named period ends with the current hour", () => {
  expect(textOf({ period: "24h" })).toBe("2026-11-22T09:00 2026-11-23T09:00");
  expect(textOf({})).toBe("2026-11-17T00:00 2026-11-23T09:00");
  expect(textOf({ period: "12m" })).toBe("2025-12-01T00:00 2026-11-23T09:00");
});

test("a period of days contains its last day, in either order", () => {
  expect(textOf({ from: "2026-11-01", to: "2026-11-03" })).toBe(
    "2026-11-01T00:00 2026-11-04T00:00",
  );
  expect(textOf({ from: "2026-11-03", to: "2026-11-01" })).toBe(
    "2026-11-01T00:00 2026-11-04T00:00",
  );
  expect(textOf({ to: "2026-11-03" })).toBe("2026-11-03T00:00 2026-11-04T00:00");
});

test("a day that does not exist and an unknown period are left out", () => {
  expect(readPeriod({ period: "2y", from: "2026-02-30", to: "2026-02-28" })).toEqual({
    to: "2026-02-28",
  });
});
