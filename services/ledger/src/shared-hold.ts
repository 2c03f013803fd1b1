import type pg from "pg";

/**
 * All shared holds of a wallet are one part in so many of what is not held otherwise. What lies
 * unused in them is kept from others for a moment, and so little of it keeps hardly anybody out.
 */
const parts = 16;

export interface SharedHold {
  holdId: string;
  accountId: string;
  amount: bigint;
}

/** Takes a hold that many requests share, whole or not at all. Answers whether it did. */
export async function shareHold(
  pool: pg.Pool,
  { holdId, accountId, amount }: SharedHold,
  holdMs: number,
): Promise<boolean> {
  const { rows } = await pool.query<{ granted: boolean }>({
    name: "take-shared-hold",
    text: "SELECT take_shared_hold($1, $2, $3, $4, $5) AS granted",
    values: [holdId, accountId, amount, parts, holdMs],
  });
  return rows[0]?.granted ?? false;
}

/** Gives so much of a shared hold back, once. Safe to repeat. */
export async function giveBack(
  pool: pg.Pool,
  { holdId, accountId, amount }: SharedHold,
): Promise<void> {
  await pool.query({
    name: "release-shared-hold",
    text: "SELECT release_shared_hold($1, $2, $3)",
    values: [holdId, accountId, amount],
  });
}
