import { expect, test } from "vitest";
import {
  formatLocalDay,
  formatRelative,
  formatTime,
  formatTimeExact,
  formatTimeUtc,
  formatTimeZoned,
} from "./time.ts";

const at = new Date("2026-11-23T08:45:07.123Z");

test("an instant is shown in the zone of the reader, which is named", () => {
  const zone = "Asia/Tokyo";
  expect(formatTime(at, zone)).toBe("2026-11-23 17:45:07");
  expect(formatTimeZoned(at, zone)).toBe("2026-11-23 17:45:07 GMT+9");
  expect(formatTimeExact(at, zone)).toBe("2026-11-23 17:45:07.123 GMT+9");
  expect(formatLocalDay(new Date("2026-11-23T22:00Z"), zone)).toBe("2026-11-24");
});

test("the instant in UTC is exact", () => {
  expect(formatTimeUtc(at)).toBe("2026-11-23 08:45:07.123 UTC");
});

test("how long ago an instant was is shown in its largest unit", () => {
  const after = (ms: number) => formatRelative(at, at.getTime() + ms);
  expect([10_000, 5 * 60_000, 25 * 3_600_000, -3 * 86_400_000].map(after)).toEqual([
    "just now",
    "5 min ago",
    "1 day ago",
    "in 3 days",
  ]);
});
