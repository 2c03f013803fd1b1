import type pg from "pg";

/** Resolves with what keys were charged since the start of a day (UTC), nano-USD. */
export async function sumKeyCharges(
  pool: pg.Pool,
  keyIds: readonly string[],
  from: Date,
): Promise<Record<string, bigint>> {
  const { rows } = await pool.query<{ key_id: string; charged: bigint }>({
    name: "sum-key-charges",
    text: `
      SELECT key_id, sum(charged_nano_usd)::bigint AS charged FROM usage_day
      WHERE key_id = ANY ($1) AND day >= $2 GROUP BY key_id`,
    values: [keyIds, from],
  });
  return Object.fromEntries(rows.map(({ key_id: keyId, charged }) => [keyId, charged]));
}
