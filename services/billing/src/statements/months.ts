/** How long after a month its statements wait: every transaction that began in the month has ended. */
const graceMs = 60 * 60 * 1_000;
/** How far back statements are issued after the gateway has not issued any. */
const maxMonths = 12;

/** Returns the first moment of the month (UTC) that is `months` after that of `time`. */
export function startOfMonth(time: Date, months = 0): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months, 1));
}

/** Returns a month as `2026-11`. */
export function monthText(month: Date): string {
  return month.toISOString().slice(0, 7);
}

/**
 * Returns the months, oldest first, of which an account has no statement and is due one at `now`: those after
 * the last one, or the month before the present one where it has none.
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
