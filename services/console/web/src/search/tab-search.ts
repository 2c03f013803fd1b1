import { type LedgerSearch, readLedgerSearch } from "./ledger-search.ts";
import { type ListSearch, readWholeListSearch } from "./list-search.ts";
import { defined, type RawSearch, readOne, readTexts } from "./read.ts";

/** The address of a screen with tabs. A list of a tab begins after `before`. */
interface TabSearch<Tab extends string> {
  tab?: Tab;
  before?: string;
}

const accountTabs = ["ledger", "holds", "keys", "members", "prices"] as const;
const settingsTabs = ["operators", "tokens", "audit", "sign-in", "retention"] as const;

/** Returns what an address asks of an account's screen. */
export function readAccountSearch(
  raw: RawSearch,
): TabSearch<(typeof accountTabs)[number]> & ListSearch<string> & LedgerSearch {
  return {
    ...readWholeListSearch(raw),
    ...defined({ tab: readOne(raw, "tab", accountTabs) }),
    ...readLedgerSearch(raw),
  };
}

/** Returns what an address asks of the settings. */
export function readSettingsSearch(
  raw: RawSearch,
): TabSearch<(typeof settingsTabs)[number]> & ListSearch<string> & { account?: string } {
  return {
    ...readTexts(raw, ["account"]),
    ...defined({ tab: readOne(raw, "tab", settingsTabs) }),
    ...readWholeListSearch(raw),
  };
}
