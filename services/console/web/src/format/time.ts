import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const relative = new Intl.RelativeTimeFormat("en-US", { numeric: "always", style: "short" });

/** Formats an instant to the second: `2026-11-23 09:45:07`. Without a zone: that of this device. */
export function formatTime(at: Date, timeZone?: string): string {
  return local(at, { ...dayParts, ...timeParts }, timeZone);
}

/** Formats an instant to the second, with its zone: `2026-11-23 09:45:07 GMT+1`. */
export function formatTimeZoned(at: Date, timeZone?: string): string {
  return `${formatTime(at, timeZone)} ${formatZone(at, timeZone)}`;
}

/** Formats an instant to the millisecond, with its zone: `2026-11-23 09:45:07.123 GMT+1`. */
export function formatTimeExact(at: Date, timeZone?: string): string {
  const parts = { ...dayParts, ...timeParts, fractionalSecondDigits: 3 } as const;
  return `${local(at, parts, timeZone).replace(",", ".")} ${formatZone(at, timeZone)}`;
}

/** Formats the day of an instant: `2026-11-23`. */
export function formatLocalDay(at: Date, timeZone?: string): string {
  return local(at, dayParts, timeZone);
}

/** Formats an instant in UTC to the millisecond: `2026-11-23 08:45:07.123 UTC`. */
export function formatTimeUtc(at: Date): string {
  return `${at.toISOString().slice(0, 23).replace("T", " ")} UTC`;
}

/** Formats the zone of an instant: `GMT+1`, `UTC`. */
export function formatZone(at: Date, timeZone?: string): string {
  const options = { timeZoneName: "short", ...(timeZone && { timeZone }) } as const;
  const parts = new Intl.DateTimeFormat("en-US", options).formatToParts(at);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
}

const dayParts = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
const timeParts = { hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;

/** The Swedish format is that of ISO 8601. */
function local(at: Date, parts: Intl.DateTimeFormatOptions, timeZone?: string): string {
  return new Intl.DateTimeFormat("sv-SE", { ...parts, ...(timeZone && { timeZone }) }).format(at);
}

/** Formats the day of an instant in UTC, in which usage is summed: `2026-11-23`. */
export function formatDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** Formats how far an instant is from now: `5 min ago`, `in 3 days`. */
export function formatRelative(at: Date, now = Date.now()): string {
  const difference = at.getTime() - now;
  for (const [unit, ms] of units) {
    if (Math.abs(difference) < ms) continue;
    return relative.format(Math.trunc(difference / ms), unit).replace(".", "");
  }
  return difference > 0 ? "in a moment" : "just now";
}

/** Returns the instant of a message's member; undefined where it is absent. */
export function dateOf(timestamp: Timestamp | undefined): Date | undefined {
  return timestamp === undefined ? undefined : timestampDate(timestamp);
}
