import type { WalletSums } from "@tollgate/proto/tollgate/v1/statement";
import { toCsv } from "../../format/csv.ts";
import { plainUsd } from "../../format/money.ts";

const header = [
  ...["account_id", "account", "opening_usd", "top_ups_usd", "charges_usd", "refunds_usd"],
  ...["adjustments_usd", "closing_usd"],
];

/** Returns the sums of wallets in a month as CSV. Charges are positive. */
export function walletsCsv(wallets: readonly WalletSums[]): string {
  const rows = wallets.map((sums) => [
    sums.accountId,
    sums.accountName,
    plainUsd(sums.openingNanoUsd),
    plainUsd(sums.topUpsNanoUsd),
    plainUsd(sums.chargesNanoUsd),
    plainUsd(sums.refundsNanoUsd),
    plainUsd(sums.adjustmentsNanoUsd),
    plainUsd(sums.closingNanoUsd),
  ]);
  return toCsv(header, rows);
}
