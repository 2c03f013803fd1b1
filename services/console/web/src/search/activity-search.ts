import { type ListSearch, readWholeListSearch } from "./list-search.ts";
import { daysOf, type PeriodSearch, type Range, readPeriod } from "./period.ts";
import { defined, type RawSearch, readOne } from "./read.ts";
import { type FilterName, filterNames, readFilters, type UsageSearch } from "./usage-filter.ts";

/** What the bars of the chart show. */
export const activityMetrics = {
  ...{ spend: "Spend", requests: "Requests", errors: "Errors", tokens: "Tokens" },
} as const;
export type Metric = keyof typeof activityMetrics;

/** How long one bar of the chart is. */
export const timeSteps = { hour: "Hour", day: "Day", month: "Month" } as const;
export type TimeStep = keyof typeof timeSteps;

/** The address of Activity: its period, filters, chart and the members that its table lists. */
export interface ActivitySearch extends PeriodSearch, UsageSearch, ListSearch<string> {
  by?: FilterName;
  /** What each member of the table is divided by. */
  second?: FilterName;
  step?: TimeStep;
  metric?: Metric;
}

const maxHourDays = 14;
/** The gateway sums end users by the hour for no longer. */
const maxEndUserHourDays = 2;
const minMonthDays = 180;

/** Returns what an address asks of Activity, without what it does not know. */
export function readActivitySearch(raw: RawSearch): ActivitySearch {
  return {
    ...readPeriod(raw),
    ...readFilters(raw),
    ...readWholeListSearch(raw),
    ...defined({
      by: readOne(raw, "by", Object.keys(filterNames) as FilterName[]),
      second: readOne(raw, "second", Object.keys(filterNames) as FilterName[]),
      step: readOne(raw, "step", ["hour", "day", "month"]),
      metric: readOne(raw, "metric", Object.keys(activityMetrics) as Metric[]),
    }),
  };
}

/** Returns the length of a bar: the one chosen, unless the bars would be too many to see. */
export function stepOf(search: ActivitySearch, range: Range): TimeStep {
  const { step } = search;
  const days = daysOf(range);
  if (step === "hour" && !hasHours(search, range)) return "day";
  if (step !== undefined) return step;
  if (days <= 2) return "hour";
  return days > minMonthDays ? "month" : "day";
}

/** Returns whether a bar may be an hour. */
export function hasHours({ by, user }: ActivitySearch, range: Range): boolean {
  const isOfEndUsers = by === "user" || user !== undefined;
  return daysOf(range) <= (isOfEndUsers ? maxEndUserHourDays : maxHourDays);
}
