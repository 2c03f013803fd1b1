import { daysOf, type PeriodSearch, type Range, readPeriod } from "./period.ts";
import { defined, type RawSearch, readOne } from "./read.ts";
import { type FilterName, type FilterSearch, filterNames, readFilters } from "./usage-filter.ts";

/** What the bars of the chart show. */
export const activityMetrics = {
  ...{ spend: "Spend", requests: "Requests", errors: "Errors", tokens: "Tokens" },
} as const;
export type Metric = keyof typeof activityMetrics;

/** How long one bar of the chart is. */
export const timeSteps = { hour: "Hour", day: "Day", month: "Month" } as const;
export type TimeStep = keyof typeof timeSteps;

/** The address of Activity: its period, filters, chart and the members that its table lists. */
export interface ActivitySearch extends PeriodSearch, FilterSearch {
  by?: FilterName;
  /** What each member of the table is divided by. */
  second?: FilterName;
  step?: TimeStep;
  metric?: Metric;
}

const maxHourDays = 14;
const minMonthDays = 180;

/** Returns what an address asks of Activity, without what it does not know. */
export function readActivitySearch(raw: RawSearch): ActivitySearch {
  return {
    ...readPeriod(raw),
    ...readFilters(raw),
    ...defined({
      by: readOne(raw, "by", Object.keys(filterNames) as FilterName[]),
      second: readOne(raw, "second", Object.keys(filterNames) as FilterName[]),
      step: readOne(raw, "step", ["hour", "day", "month"]),
      metric: readOne(raw, "metric", Object.keys(activityMetrics) as Metric[]),
    }),
  };
}

/** Returns the length of a bar: the one chosen, unless the bars would be too many to see. */
export function stepOf(chosen: TimeStep | undefined, range: Range): TimeStep {
  const days = daysOf(range);
  if (chosen === "hour" && days > maxHourDays) return "day";
  if (chosen !== undefined) return chosen;
  if (days <= 2) return "hour";
  return days > minMonthDays ? "month" : "day";
}
