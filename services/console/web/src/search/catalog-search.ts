import { readTimedListSearch, type TimedListSearch } from "./list-search.ts";
import { type RawSearch, readNumbers } from "./read.ts";

interface CatalogSearch extends TimedListSearch {
  /** The revision whose changes are shown. */
  revision?: string;
}

/** Returns the search parameters of the catalog's screen, without those that are not revision numbers. */
export function readCatalogSearch(raw: RawSearch): CatalogSearch {
  const { before: _before, ...list } = readTimedListSearch(raw);
  return { ...list, ...readNumbers(raw, ["revision", "before"]) };
}
