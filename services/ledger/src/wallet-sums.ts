import type pg from "pg";
import { isRefundSql, requireDays } from "./statement-sums.ts";

/** More wallets are only in the total. */
const maxWallets = 10_000;

/**
 * Resolves with the sums of each wallet in a period, and of all: those of `sumStatement`. Counts back from the
 * present balances, and so reads the changes since the start of the period alone. Throws `invalid_param` for a
 * period that does not begin and end with a day.
 */
export async function sumWallets(pool: pg.Pool, { from, to }: { from: Date; to: Date }) {
  requireDays(from, to);
  // One statement reads one snapshot.
  const { rows } = await pool.query<SumRow>({
    name: "sum-wallets",
    text: sumWalletsSql,
    values: [from, to],
  });
  const all = rows.find((row) => row.account_id === null);
  const listed = rows.filter((row) => row.account_id !== null);
  return {
    wallets: listed.slice(0, maxWallets).map(toSums),
    hasMore: listed.length > maxWallets,
    ...(all && { total: toSums(all) }),
  };
}

interface SumRow {
  /** Null in the row of all. */
  account_id: string | null;
  opening: bigint;
  top_ups: bigint;
  charges: bigint;
  refunds: bigint;
  adjustments: bigint;
  closing: bigint;
}

function toSums(row: SumRow) {
  return {
    accountId: row.account_id ?? "",
    openingNanoUsd: row.opening,
    topUpsNanoUsd: row.top_ups,
    chargesNanoUsd: row.charges,
    refundsNanoUsd: row.refunds,
    adjustmentsNanoUsd: row.adjustments,
    closingNanoUsd: row.closing,
  };
}

/**
 * Each change since the start is of the period, or later. The total is the row of the empty grouping set, which
 * is the first one.
 */
const sumWalletsSql = `
  WITH change (account_id, kind, is_later, amount) AS (
    SELECT account_id, 'top_up', recorded_at >= $2, credited_nano_usd FROM credit
    WHERE recorded_at >= $1
    UNION ALL
    SELECT account_id, CASE WHEN ${isRefundSql} THEN 'refund' ELSE 'adjustment' END,
      recorded_at >= $2, amount_nano_usd FROM adjustment
    WHERE recorded_at >= $1
    UNION ALL
    SELECT account_id, 'charge', day >= $2, -charged_nano_usd FROM usage_day WHERE day >= $1
  ), of_wallet AS (
    SELECT account_id, sum(amount) AS since,
      coalesce(sum(amount) FILTER (WHERE is_later), 0) AS later,
      coalesce(sum(amount) FILTER (WHERE kind = 'top_up' AND NOT is_later), 0) AS top_ups,
      coalesce(-sum(amount) FILTER (WHERE kind = 'charge' AND NOT is_later), 0) AS charges,
      coalesce(sum(amount) FILTER (WHERE kind = 'refund' AND NOT is_later), 0) AS refunds,
      coalesce(sum(amount) FILTER (WHERE kind = 'adjustment' AND NOT is_later), 0) AS adjustments,
      coalesce(bool_or(NOT is_later), false) AS has_changes
    FROM change GROUP BY account_id
  ), wallet_sums AS (
    SELECT w.account_id, w.balance_nano_usd - coalesce(since, 0) AS opening,
      coalesce(top_ups, 0) AS top_ups, coalesce(charges, 0) AS charges,
      coalesce(refunds, 0) AS refunds, coalesce(adjustments, 0) AS adjustments,
      w.balance_nano_usd - coalesce(later, 0) AS closing, coalesce(has_changes, false) AS has_changes
    FROM wallet w LEFT JOIN of_wallet USING (account_id)
  )
  SELECT account_id, sum(opening)::bigint AS opening, sum(top_ups)::bigint AS top_ups,
    sum(charges)::bigint AS charges, sum(refunds)::bigint AS refunds,
    sum(adjustments)::bigint AS adjustments, sum(closing)::bigint AS closing
  FROM wallet_sums
  GROUP BY GROUPING SETS ((account_id), ())
  HAVING account_id IS NULL OR bool_or(has_changes) OR sum(opening) <> 0
  ORDER BY account_id IS NOT NULL, charges DESC, account_id
  LIMIT ${maxWallets + 2}`;
