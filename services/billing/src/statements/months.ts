import { invalidParam } from "@tollgate/core/errors";

/** Statements wait until every transaction that began in their month has ended. */
const graceMs = 60 * 60 * 1_000;
/** How far back statements are issued if none were issued for a time. */
const maxMonths = 12;

/** Returns the first moment of the month (UTC) that is `months` after that of `time`. */
export function startOfMonth(time: Date, months = 0): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months, 1));
}

/** Returns a month as `2026-11`. */
export function monthText(month: Date): string {
  return month.toISOString().slice(0, 7);
}

/** Returns the start of a month that is written as `2026-11`. Throws `invalid_param` for another text. */
export function readMonthText(text: string): Date {
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? new Date(`${text}-01`) : undefined;
  if (month !== undefined) return month;
  throw invalidParam("month", "must be a month such as 2026-11");
}

/**
 * Returns the months whose statements of an account are due at `now`, oldest first: those after its `last`
 * statement, or the previous month if it has none.
 */
export function monthsDue(last: Date | undefined, now: Date): Date[] {
  const present = startOfMonth(new Date(now.getTime() - graceMs));
  const earliest = startOfMonth(present, last === undefined ? -1 : -maxMonths);
  const next = last === undefined ? earliest : startOfMonth(last, 1);
  const months: Date[] = [];
  let month = next < earliest ? earliest : next;
  for (; month < present; month = startOfMonth(month, 1)) months.push(month);
  return months;
}
