import type { WalletSums } from "@tollgate/proto/tollgate/v1/statement";
import { csvText, csvUsd } from "./csv-text.ts";

type Sums = Pick<
  WalletSums,
  | ("accountId" | "accountName" | "openingNanoUsd" | "topUpsNanoUsd" | "chargesNanoUsd")
  | ("refundsNanoUsd" | "adjustmentsNanoUsd" | "closingNanoUsd")
>;

const header = [
  ...["account_id", "account", "opening_usd", "top_ups_usd", "charges_usd", "refunds_usd"],
  ...["adjustments_usd", "closing_usd"],
];

/** Returns the sums of wallets in a month as CSV. Charges are positive. */
export function walletsCsv(wallets: readonly Sums[]): string {
  const rows = wallets.map((sums) => [
    sums.accountId,
    sums.accountName,
    csvUsd(sums.openingNanoUsd),
    csvUsd(sums.topUpsNanoUsd),
    csvUsd(sums.chargesNanoUsd),
    csvUsd(sums.refundsNanoUsd),
    csvUsd(sums.adjustmentsNanoUsd),
    csvUsd(sums.closingNanoUsd),
  ]);
  return csvText([header, ...rows]);
}
