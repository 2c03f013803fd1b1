import type { UsageSum } from "@tollgate/proto/tollgate/v1/ledger";
import type { TimeStep } from "../search/activity-search.ts";
import type { Range } from "../search/period.ts";

/** One bar of a chart over time: the sums of its parts. Without usage it has none. */
export interface Bucket {
  start: Date;
  /** Does not belong to it. */
  end: Date;
  sums: readonly UsageSum[];
}

const hourMs = 3_600_000;

/** The most bars that a chart has: 14 days of hours, or a year of days. */
const maxBuckets = 400;

/** Returns a bucket for each hour, day or month (UTC) of a period, also for those without usage. */
export function bucketsOf(range: Range, step: TimeStep, sums: readonly UsageSum[]): Bucket[] {
  const byStart = Map.groupBy(sums, (sum) => startOf(sum.name, step));
  const buckets: Bucket[] = [];
  let start = floorTo(range.from, step);
  while (start < range.to && buckets.length < maxBuckets) {
    const end = nextOf(start, step);
    buckets.push({ start, end, sums: byStart.get(start.getTime()) ?? [] });
    start = end;
  }
  return buckets;
}

/** Formats the start of a bucket: `Nov 23, 08:00`, `Nov 23` or `Nov 2026`. */
export function labelOf(start: Date, step: TimeStep): string {
  return formats[step].format(start);
}

const formats: Readonly<Record<TimeStep, Intl.DateTimeFormat>> = {
  hour: formatOf({ month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" }),
  day: formatOf({ month: "short", day: "numeric" }),
  month: formatOf({ month: "short", year: "numeric" }),
};

function formatOf(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", { ...options, timeZone: "UTC", hourCycle: "h23" });
}

/** The name of a sum is a prefix of an ISO instant, such as `2026-11` or `2026-11-23T08:00`. */
function startOf(name: string, step: TimeStep): number {
  const [, year, month, day = "01", hour = "00"] =
    /^(\d{4})-(\d{2})(?:-(\d{2}))?(?:[T ](\d{2}))?/.exec(name) ?? [];
  const at = new Date(`${year}-${month}-${day}T${hour}:00:00Z`);
  return Number.isNaN(at.getTime()) ? Number.NaN : floorTo(at, step).getTime();
}

function floorTo(date: Date, step: TimeStep): Date {
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (step === "month") return new Date(Date.UTC(year, month, 1));
  if (step === "day") return new Date(Date.UTC(year, month, day));
  return new Date(Math.floor(date.getTime() / hourMs) * hourMs);
}

function nextOf(date: Date, step: TimeStep): Date {
  if (step !== "month") return new Date(date.getTime() + (step === "day" ? 24 : 1) * hourMs);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
}
