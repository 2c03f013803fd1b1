import type pg from "pg";
import { inTransaction } from "./transaction.ts";

/** Gives back one hold that no event will settle. A hold that is gone already changes nothing. */
export async function releaseHold(pool: pg.Pool, holdId: string): Promise<void> {
  const { rows } = await pool.query<{ account_id: string }>(
    "SELECT account_id FROM hold WHERE id = $1",
    [holdId],
  );
  const accountIds = rows.map((row) => row.account_id);
  if (accountIds.length > 0) await deleteHolds(pool, accountIds, "id = $2", [holdId]);
}

/**
 * Gives back the holds whose time is over: their service died, or lost its way. Safe to run in
 * every replica at once. Answers how many it gave back.
 */
export async function sweepExpiredHolds(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ account_id: string }>(
    "SELECT DISTINCT account_id FROM hold WHERE expires_at < now() LIMIT 1000",
  );
  const accountIds = rows.map((row) => row.account_id);
  if (accountIds.length === 0) return 0;
  return deleteHolds(pool, accountIds, "expires_at < now()", []);
}

/**
 * Locks the wallets, then ends those of their holds that meet the condition. What the time is, is
 * the database's to say, which also set when they expire.
 */
async function deleteHolds(
  pool: pg.Pool,
  accountIds: readonly string[],
  condition: string,
  values: readonly unknown[],
): Promise<number> {
  return inTransaction(pool, async (client) => {
    await client.query(
      "SELECT FROM wallet WHERE account_id = ANY ($1) ORDER BY account_id FOR UPDATE",
      [accountIds],
    );
    const { rowCount } = await client.query(
      `DELETE FROM hold WHERE account_id = ANY ($1) AND ${condition}`,
      [accountIds, ...values],
    );
    return rowCount ?? 0;
  });
}
