import { readTimedListSearch, type TimedListSearch } from "./list-search.ts";
import { type RawSearch, readTexts } from "./read.ts";
import { filterNames } from "./usage-filter.ts";

/** The filters of refused requests with their names for people. */
export const refusalFilterNames = {
  account: filterNames.account,
  key: filterNames.key,
  error: "Error code",
} as const;

/** The address of refused requests. */
export type RefusalsSearch = Partial<Record<"account" | "key" | "error", string>> & TimedListSearch;

/** Returns what an address asks of refused requests, without what it does not know. */
export function readRefusalsSearch(raw: RawSearch): RefusalsSearch {
  return { ...readTexts(raw, ["account", "key", "error"]), ...readTimedListSearch(raw) };
}
