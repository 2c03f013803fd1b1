import { readTimedListSearch, type TimedListSearch } from "./list-search.ts";
import { type RawSearch, readNumbers, readTexts } from "./read.ts";

/** The address of Statements. A page begins after a number. */
export interface StatementsSearch extends TimedListSearch {
  account?: string;
}

/** Returns what an address asks of Statements. */
export function readStatementsSearch(raw: RawSearch): StatementsSearch {
  const { before: _before, ...list } = readTimedListSearch(raw);
  return { ...readTexts(raw, ["account"]), ...list, ...readNumbers(raw, ["before"]) };
}
