import { type PageSizeSearch, readPageSize, timeOrders } from "./list-search.ts";
import { type PeriodSearch, readPeriod } from "./period.ts";
import { defined, type RawSearch, readFlag, readOne, readTexts } from "./read.ts";
import { filterNames, readFilters, type UsageSearch } from "./usage-filter.ts";

/** The address of Requests: its period, filters, and the cursor after which its page begins. */
export interface RequestsSearch extends PeriodSearch, UsageSearch, PageSizeSearch {
  order?: keyof typeof requestOrders;
  failed?: true;
  error?: string;
  before?: string;
}

/** The orders of Requests with their names for people. */
export const requestOrders = {
  ...timeOrders,
  charged: "Most charged first",
  slowest: "Slowest first",
} as const;

/** The filters of Requests with their names for people. */
export const requestFilterNames = { ...filterNames, error: "Error code" } as const;

/** Returns what an address asks of Requests, without what it does not know. */
export function readRequestsSearch(raw: RawSearch): RequestsSearch {
  return {
    ...readPeriod(raw),
    ...readFilters(raw),
    ...readPageSize(raw),
    ...readTexts(raw, ["before", "error"]),
    ...defined({
      failed: readFlag(raw, "failed"),
      order: readOne(raw, "order", Object.keys(requestOrders) as (keyof typeof requestOrders)[]),
    }),
  };
}
