import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type pg from "pg";

const maxCredits = 10_000;

/**
 * Resolves with what references of top-ups added since `from`, by time: 10,000 at most. With
 * `references`, only these.
 */
export async function listCredits(
  pool: pg.Pool,
  query: { from: Date; referencePrefix: string; references: readonly string[] },
) {
  const { from, referencePrefix, references } = query;
  const { rows } = await pool.query<CreditRow>({
    name: "list-credits",
    text: `SELECT account_id, reference, credited_nano_usd AS amount, recorded_at FROM credit
      WHERE recorded_at >= $1 AND starts_with(reference, $2)
        AND (cardinality($3::text[]) = 0 OR reference = ANY ($3))
      ORDER BY recorded_at, account_id, reference LIMIT $4`,
    values: [from, referencePrefix, references, maxCredits + 1],
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
