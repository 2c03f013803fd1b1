import { defined, type RawSearch, readOne } from "./read.ts";

/** The periods that a screen offers, the shortest first, with the name of each. */
export const periods = {
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
  "12m": "12 months",
} as const;

export type PeriodName = keyof typeof periods;

/** A named period, or a first and a last day (UTC, `2026-11-23`). The days go first. */
export interface PeriodSearch {
  period?: PeriodName;
  from?: string;
  to?: string;
}

/** A period of time. `to` does not belong to it. Both are starts of hours. */
export interface Range {
  from: Date;
  to: Date;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const days: Readonly<Record<PeriodName, number>> = {
  "24h": 1,
  "7d": 7,
  "30d": 30,
  "90d": 90,
  "12m": 365,
};

/** Returns the period of an address. A day that does not exist is left out. */
export function readPeriod(raw: RawSearch): PeriodSearch {
  return defined({
    period: readOne(raw, "period", Object.keys(periods) as PeriodName[]),
    from: readDay(raw.from),
    to: readDay(raw.to),
  });
}

/**
 * Returns the instants of a period. One that is named ends with the current hour. One of days
 * contains both of them; where one is missing it is a single day.
 */
export function rangeOf(search: PeriodSearch, fallback: PeriodName, now = Date.now()): Range {
  const { from = search.to, to = search.from } = search;
  if (from !== undefined && to !== undefined) {
    const [first, last] = from <= to ? [from, to] : [to, from];
    return { from: new Date(first), to: new Date(Date.parse(last) + dayMs) };
  }
  const period = search.period ?? fallback;
  const end = Math.floor(now / hourMs) * hourMs + hourMs;
  if (period === "24h") return { from: new Date(end - dayMs), to: new Date(end) };
  if (period === "12m") return { from: monthsBefore(now, 11), to: new Date(end) };
  const today = Math.floor(now / dayMs) * dayMs;
  return { from: new Date(today - (days[period] - 1) * dayMs), to: new Date(end) };
}

/** Returns the period of the same length before another one. */
export function rangeBefore({ from, to }: Range): Range {
  return { from: new Date(2 * from.getTime() - to.getTime()), to: from };
}

/** Returns the length of a period in days. */
export function daysOf({ from, to }: Range): number {
  return (to.getTime() - from.getTime()) / dayMs;
}

function monthsBefore(now: number, months: number): Date {
  const date = new Date(now);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, 1));
}

function readDay(value: unknown): string | undefined {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined;
  const date = new Date(`${value}T00:00:00Z`);
  const exists = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
  return exists ? value : undefined;
}
