import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const relative = new Intl.RelativeTimeFormat("en-US", { numeric: "always", style: "short" });

/** Formats an instant in UTC to the second: `2026-11-23 08:45:07`. */
export function formatTime(at: Date): string {
  return at.toISOString().slice(0, 19).replace("T", " ");
}

/** Formats an instant in UTC to the millisecond: `2026-11-23 08:45:07.123`. */
export function formatTimeExact(at: Date): string {
  return at.toISOString().slice(0, 23).replace("T", " ");
}

/** Formats the day of an instant in UTC: `2026-11-23`. */
export function formatDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** Formats how far an instant is from now: `5 min. ago`, `in 3 days`. */
export function formatRelative(at: Date, now = Date.now()): string {
  const difference = at.getTime() - now;
  for (const [unit, ms] of units) {
    if (Math.abs(difference) >= ms) return relative.format(Math.trunc(difference / ms), unit);
  }
  return difference > 0 ? "in a moment" : "just now";
}

/** Returns the instant of a message's member; undefined where it is absent. */
export function dateOf(timestamp: Timestamp | undefined): Date | undefined {
  return timestamp === undefined ? undefined : timestampDate(timestamp);
}
