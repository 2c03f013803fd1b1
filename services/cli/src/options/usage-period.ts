import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { UsageError } from "../help.ts";

const dayMs = 86_400_000;
/** Today is one of them. */
const defaultDays = 30;

/** A date, or the start of an hour: both UTC. */
const pattern = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}):00Z)?$/;

/**
 * Returns the period that --from and --to name. --to ends it, and does not belong to it, whether it is a
 * date or an hour. By default, the period is the last 30 days, today included. Throws a UsageError.
 */
export function periodOfOptions(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  now: Date,
): { from: Date; to: Date } {
  const today = Math.floor(now.getTime() / dayMs) * dayMs;
  const end = to === undefined ? today + dayMs : readTime(to, "--to");
  const start = from === undefined ? end - defaultDays * dayMs : readTime(from, "--from");
  if (start >= end) throw new UsageError("--from must be before --to");
  return { from: new Date(start), to: new Date(end) };
}

/** Returns the period of a call. Without --from and --to it has none. Throws a UsageError. */
export function periodFilterOf(options: { from?: string | undefined; to?: string | undefined }) {
  if (options.from === undefined && options.to === undefined) return {};
  const { from, to } = periodOfOptions(options, new Date());
  return { from: timestampFromDate(from), to: timestampFromDate(to) };
}

function readTime(text: string, name: string): number {
  const [, date, hour] = pattern.exec(text) ?? [];
  const time = Date.parse(`${date}T${hour ?? "00"}:00:00.000Z`);
  const isReal = date !== undefined && new Date(time || 0).toISOString().startsWith(date);
  if (!isReal) {
    throw new UsageError(
      `${name} must be a date such as 2026-11-23, or an hour: 2026-11-23T08:00Z`,
    );
  }
  return time;
}
