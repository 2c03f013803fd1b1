import type pg from "pg";

/**
 * All shared holds of a wallet are at most one sixteenth of the money that nothing else holds. What
 * is unused in them is unavailable to other requests for a moment; so small a part refuses hardly
 * any of them.
 */
const parts = 16;

export interface SharedHold {
  holdId: string;
  accountId: string;
  amountNanoUsd: bigint;
}

/** Takes a hold that many requests share, in full or not at all. Resolves with whether it did. */
export async function takeSharedHold(
  pool: pg.Pool,
  { holdId, accountId, amountNanoUsd }: SharedHold,
  holdMs: number,
): Promise<boolean> {
  const { rows } = await pool.query<{ granted: boolean }>({
    name: "take-shared-hold",
    text: "SELECT take_shared_hold($1, $2, $3, $4, $5) AS granted",
    values: [holdId, accountId, amountNanoUsd, parts, holdMs],
  });
  return rows[0]?.granted ?? false;
}

/** Releases the given amount of a shared hold, once: a second call changes nothing. */
export async function releaseSharedHold(
  pool: pg.Pool,
  { holdId, accountId, amountNanoUsd }: SharedHold,
): Promise<void> {
  await pool.query({
    name: "release-shared-hold",
    text: "SELECT release_shared_hold($1, $2, $3)",
    values: [holdId, accountId, amountNanoUsd],
  });
}
