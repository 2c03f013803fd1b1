import type pg from "pg";
import { findOwners } from "./extend-holds.ts";
import { isLockTimeout, type WalletLocks } from "./wallet-locks.ts";

/**
 * Releases one hold that no usage event will capture. A hold that does not exist changes nothing.
 * With `keepsRequest` the request still counts against the limit of requests per minute.
 */
export async function releaseHold(
  pool: pg.Pool,
  locks: WalletLocks,
  holdId: string,
  keepsRequest = false,
): Promise<void> {
  const release = () =>
    pool.query({
      name: "release-hold",
      text: "SELECT release_hold($1, $2)",
      values: [holdId, keepsRequest],
    });
  try {
    if (!locks.isAny()) return void (await release());
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
  }
  const owners = await findOwners(pool, [holdId]);
  for (const accountId of owners.keys()) await locks.run(accountId, release);
}

/**
 * Releases the holds that have expired: their service died, or failed to extend them. Every replica
 * may run it at the same time. Resolves with how many it released.
 */
export async function releaseExpiredHolds(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ released: number }>({
    name: "release-expired-holds",
    text: "SELECT release_expired_holds() AS released",
  });
  return rows[0]?.released ?? 0;
}
