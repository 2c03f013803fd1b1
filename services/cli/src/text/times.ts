import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { UsageError } from "../help.ts";

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Reads a duration such as `24h`, `30m` or `7d`, or `0`, in seconds. Throws a UsageError. */
export function readSeconds(text: string, name: string): number {
  if (text === "0") return 0;
  const [, count = "", unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (unitSeconds[unit] ?? 0);
  if (seconds > 0) return seconds;
  throw new UsageError(`${name} must be a duration such as 24h, 30m or 7d, or 0`);
}

const isoPattern = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?(\.\d{1,3})?(Z|[+-]\d{2}:\d{2}))?$/;

/**
 * Reads a time: a date, which is its start in UTC, a time with its zone, or a duration from `now`.
 * Throws a UsageError.
 */
export function readTime(text: string, name: string, now: Date): Date {
  if (/^\d{1,6}[smhd]$/.test(text)) {
    return new Date(now.getTime() + readSeconds(text, name) * 1_000);
  }
  const time = isoPattern.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time);
  const examples = "2027-01-31, 2027-01-31T12:00Z or 30d";
  throw new UsageError(`${name} must be a date, a time with its zone, or a duration: ${examples}`);
}

/** Writes a time to the minute, in UTC. Empty for none. */
export function shortTime(timestamp: Timestamp | undefined): string {
  if (timestamp === undefined) return "";
  return `${timestampDate(timestamp).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Writes a time for JSON; null for none. */
export function isoTime(timestamp: Timestamp | undefined): string | null {
  return timestamp === undefined ? null : timestampDate(timestamp).toISOString();
}
