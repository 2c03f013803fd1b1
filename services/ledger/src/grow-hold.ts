import type pg from "pg";
import { type HeldWalletRow, type HoldChange, type HoldGrant, toGrant } from "./hold-grant.ts";

/** A hold that grows; see sql/holds/grow_hold.sql. */
export interface GrowRequest extends HoldChange {
  /** Whether a shared hold already counts the request as in progress. Default: false. */
  isCounted?: boolean;
}

/**
 * Adds min(estimate, available) to a hold. A hold that has expired is created again with that
 * amount. See sql/holds/grow_hold.sql.
 */
export async function growHold(
  pool: pg.Pool,
  { holdId, accountId, keyId = "", endUser = "", estimateNanoUsd, isCounted = false }: GrowRequest,
  holdMs: number,
): Promise<HoldGrant> {
  const { rows } = await pool.query<GrownRow>({
    name: "grow-hold",
    text: `SELECT added, wallet_held, wallet_balance, refusal
      FROM grow_hold($1, $2, $3, $4, $5, $6, $7)`,
    values: [holdId, accountId, keyId, endUser, estimateNanoUsd, isCounted, holdMs],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("grow_hold returned no row");
  return toGrant(row.added, row);
}

interface GrownRow extends HeldWalletRow {
  added: bigint;
}
