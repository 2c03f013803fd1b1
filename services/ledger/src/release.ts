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
  const text = "SELECT release_hold($1, $2)";
  const values = [holdId, keepsRequest];
  await change(pool, locks, holdId, { name: "release-hold", text, values });
}

/** Takes one request off those that a hold counts as in progress: it goes on without its client. */
export async function leaveHold(pool: pg.Pool, locks: WalletLocks, holdId: string): Promise<void> {
  const text = "SELECT leave_hold($1)";
  await change(pool, locks, holdId, { name: "leave-hold", text, values: [holdId] });
}

/** Runs a statement that changes one hold, in its turn where the wallet of the hold is locked. */
async function change(
  pool: pg.Pool,
  locks: WalletLocks,
  holdId: string,
  statement: { name: string; text: string; values: unknown[] },
): Promise<void> {
  const run = () => pool.query(statement);
  try {
    if (!locks.isAny()) return void (await run());
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
  }
  const owners = await findOwners(pool, [holdId]);
  for (const accountId of owners.keys()) await locks.run(accountId, run);
}

/**
 * Releases the holds that have expired: their service died, or failed to extend them. Every replica
 * may run it at the same time. Resolves with how many it released. Their requests are lost where no
 * usage event arrives within `lateMs`.
 */
export async function releaseExpiredHolds(pool: pg.Pool, lateMs: number): Promise<number> {
  const { rows } = await pool.query<{ released: number }>({
    name: "release-expired-holds",
    text: "SELECT release_expired_holds($1) AS released",
    values: [lateMs],
  });
  return rows[0]?.released ?? 0;
}

/**
 * Writes the entries of lost requests that are due. Every replica may run it at the same time. Resolves
 * with how many it wrote.
 */
export async function recordLostRequests(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ written: number }>({
    name: "record-lost-requests",
    text: "SELECT record_lost_requests() AS written",
  });
  return rows[0]?.written ?? 0;
}
