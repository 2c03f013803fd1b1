import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type PageSizeSearch, readPageSize } from "./list-search.ts";
import { type PeriodSearch, rangeOf, readPeriod } from "./period.ts";
import { defined, type RawSearch, readOne, readTexts } from "./read.ts";

/** The kinds of entries that the ledger can be filtered by, with their names for people. */
export const ledgerKinds = {
  usage: "Charges",
  failure: "Not charged",
  top_up: "Top-ups",
  refund: "Refunds",
  adjustment: "Adjustments",
} as const;

export type LedgerKind = keyof typeof ledgerKinds;

/** The filters of a ledger in its address, its order, and the size of a page. */
export interface LedgerSearch extends Pick<PeriodSearch, "from" | "to">, PageSizeSearch {
  kind?: LedgerKind;
  request?: string;
  key?: string;
  /** As in `amountOrders`. */
  order?: string;
}

/** Returns what an address asks of a ledger. */
export function readLedgerSearch(raw: RawSearch): LedgerSearch {
  const { from, to } = readPeriod(raw);
  const kind = readOne(raw, "kind", Object.keys(ledgerKinds) as LedgerKind[]);
  return {
    ...{ ...defined({ from, to, kind }), ...readPageSize(raw) },
    ...readTexts(raw, ["request", "key", "order"]),
  };
}

/** Returns what an address asks of the ledger of all accounts, or of one. */
export function readLedgersSearch(raw: RawSearch): LedgerSearch & { account?: string } {
  return { ...readLedgerSearch(raw), ...readTexts(raw, ["account"]) };
}

/** Returns the filter of a call; undefined where nothing is filtered. */
export function entryFilterOf({ from, to, kind, request, key }: LedgerSearch) {
  if ((from ?? to ?? kind ?? request ?? key) === undefined) return undefined;
  const range =
    from === undefined && to === undefined ? undefined : rangeOf(defined({ from, to }), "30d");
  return {
    ...{ kind: kind ?? "", requestId: request ?? "", keyId: key ?? "" },
    ...(range && { from: timestampFromDate(range.from), to: timestampFromDate(range.to) }),
  };
}
