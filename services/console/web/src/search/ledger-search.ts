import { timestampFromDate } from "@bufbuild/protobuf/wkt";
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

/** The filters of an account's ledger in its address. */
export interface LedgerSearch extends Pick<PeriodSearch, "from" | "to"> {
  kind?: LedgerKind;
  request?: string;
}

/** Returns the filters of a ledger that an address has. */
export function readLedgerSearch(raw: RawSearch): LedgerSearch {
  const { from, to } = readPeriod(raw);
  const kind = readOne(raw, "kind", Object.keys(ledgerKinds) as LedgerKind[]);
  return { ...defined({ from, to, kind }), ...readTexts(raw, ["request"]) };
}

/** Returns the filter of a call; undefined where nothing is filtered. */
export function entryFilterOf({ from, to, kind, request }: LedgerSearch) {
  if ((from ?? to ?? kind ?? request) === undefined) return undefined;
  const range =
    from === undefined && to === undefined ? undefined : rangeOf(defined({ from, to }), "30d");
  return {
    ...{ kind: kind ?? "", requestId: request ?? "" },
    ...(range && { from: timestampFromDate(range.from), to: timestampFromDate(range.to) }),
  };
}
