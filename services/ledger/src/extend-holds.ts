import type pg from "pg";
import { isLockTimeout, type WalletLocks } from "./wallet-locks.ts";

/**
 * Sets the holds to expire `holdMs` from now. A hold that no longer exists stays deleted. The holds
 * of a wallet that is locked are extended after the others.
 */
export async function extendHolds(
  pool: pg.Pool,
  locks: WalletLocks,
  holdIds: readonly string[],
  holdMs: number,
): Promise<void> {
  const extend = (ids: readonly string[]) =>
    pool.query("SELECT extend_holds($1, $2)", [ids, holdMs]);
  try {
    await extend(holdIds);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    const byOwner = await findOwners(pool, holdIds);
    await locks.look([...byOwner.keys()]);
    const free = [...byOwner].filter(([accountId]) => !locks.has(accountId));
    const others = [...byOwner].filter(([accountId]) => locks.has(accountId));
    if (free.length > 0) await extend(free.flatMap(([, ids]) => ids));
    await Promise.all(others.map(([accountId, ids]) => locks.run(accountId, () => extend(ids))));
  }
}

/** Resolves with the accounts of the holds that exist, each with the ids of its holds. */
export async function findOwners(
  pool: pg.Pool,
  holdIds: readonly string[],
): Promise<Map<string, string[]>> {
  const { rows } = await pool.query<{ account_id: string; ids: string[] }>(
    "SELECT account_id, array_agg(id) AS ids FROM hold WHERE id = ANY ($1) GROUP BY account_id",
    [holdIds],
  );
  return new Map(rows.map((row) => [row.account_id, row.ids]));
}
