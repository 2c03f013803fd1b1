import { expect, test } from "vitest";
import { formatRelative, formatTime, formatTimeExact } from "./time.ts";

const at = new Date("2026-11-23T08:45:07.123Z");

test("an instant is shown in UTC", () => {
  expect(formatTime(at)).toBe("2026-11-23 08:45:07");
  expect(formatTimeExact(at)).toBe("2026-11-23 08:45:07.123");
});

test("how long ago an instant was is shown in its largest unit", () => {
  const after = (ms: number) => formatRelative(at, at.getTime() + ms);
  expect([10_000, 5 * 60_000, 25 * 3_600_000, -3 * 86_400_000].map(after)).toEqual([
    "just now",
    "5 min. ago",
    "1 day ago",
    "in 3 days",
  ]);
});
