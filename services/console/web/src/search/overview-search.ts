import { type ListSearch, readWholeListSearch } from "./list-search.ts";
import { type PeriodSearch, readPeriod } from "./period.ts";
import type { RawSearch } from "./read.ts";

/** The address of the overview: its period, and a customer's list of prices. */
export interface OverviewSearch extends PeriodSearch, ListSearch<string> {}

/** Returns what an address asks of the overview. */
export function readOverviewSearch(raw: RawSearch): OverviewSearch {
  return { ...readPeriod(raw), ...readWholeListSearch(raw) };
}
