import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Statement, StatementLine } from "@tollgate/proto/tollgate/v1/statement";
import { csvText, csvUsd } from "./csv-text.ts";

const header = ["kind", "time", "reference", "text", "amount_usd"];

/** Returns a statement as CSV. Amounts are what is added to the balance. */
export function statementCsv({ sums }: Statement): string {
  if (sums === undefined) return csvText([header]);
  const line =
    (kind: string) =>
    ({ at, reference, reason, amountNanoUsd, entries }: StatementLine) => [
      kind,
      at === undefined ? "" : timestampDate(at).toISOString(),
      reference,
      entries > 1n ? `${entries} more` : reason,
      csvUsd(amountNanoUsd),
    ];
  return csvText([
    header,
    ["opening_balance", "", "", "", csvUsd(sums.openingNanoUsd)],
    ...sums.topUps.map(line("top_up")),
    ...sums.charges.map(({ alias, keyId, keyName, requests, chargedNanoUsd }) => {
      const text = [alias, keyName, `(${requests} requests)`].filter(Boolean).join(" ");
      return ["charge", "", keyId, text, csvUsd(-chargedNanoUsd)];
    }),
    ...sums.refunds.map(line("refund")),
    ...sums.adjustments.map(line("adjustment")),
    ["closing_balance", "", "", "", csvUsd(sums.closingNanoUsd)],
  ]);
}
