import { readTimedListSearch, type TimedListSearch } from "./list-search.ts";
import { defined, type RawSearch, readFlag, readTexts } from "./read.ts";

/** The address of Warnings. */
export interface WarningsSearch extends TimedListSearch {
  account?: string;
  key?: string;
  /** Whether only those are listed that have not ended. */
  open?: true;
}

/** Returns what an address asks of Warnings. */
export function readWarningsSearch(raw: RawSearch): WarningsSearch {
  return {
    ...readTexts(raw, ["account", "key"]),
    ...defined({ open: readFlag(raw, "open") }),
    ...readTimedListSearch(raw),
  };
}
