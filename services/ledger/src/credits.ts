import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type pg from "pg";

const maxCredits = 10_000;

/**
 * Resolves with the top-ups since `from` whose references begin with `referencePrefix`, summed by reference,
 * oldest first: 10,000 at most.
 */
export async function listCredits(
  pool: pg.Pool,
  { from, referencePrefix }: { from: Date; referencePrefix: string },
) {
  const { rows } = await pool.query<CreditRow>({
    name: "list-credits",
    text: `SELECT account_id, reference, credited_nano_usd AS amount, recorded_at FROM credit
      WHERE recorded_at >= $1 AND starts_with(reference, $2)
      ORDER BY recorded_at, account_id, reference LIMIT $3`,
    values: [from, referencePrefix, maxCredits + 1],
  });
  const credits = rows.slice(0, maxCredits).map((row) => ({
    accountId: row.account_id,
    reference: row.reference,
    amountNanoUsd: row.amount,
    recordedAt: timestampFromDate(row.recorded_at),
  }));
  return { credits, hasMore: rows.length > maxCredits };
}

interface CreditRow {
  account_id: string;
  reference: string;
  amount: bigint;
  recorded_at: Date;
}
