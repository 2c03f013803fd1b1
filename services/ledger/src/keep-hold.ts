import type { KeepHoldRequest } from "@tollgate/proto/tollgate/v1/ledger";
import type pg from "pg";
import { type HeldWalletRow, type HoldGrant, toGrant } from "./hold-grant.ts";
import type { WalletLocks } from "./wallet-locks.ts";

export interface KeptHold extends HoldGrant {
  /** Whether the usage event that captures the hold is recorded. */
  isRecorded: boolean;
}

/** Makes a request's hold that of its job. See sql/holds/keep_hold.sql. */
export async function keepHold(
  pool: pg.Pool,
  locks: WalletLocks,
  request: Omit<KeepHoldRequest, "$typeName">,
): Promise<KeptHold> {
  const { holdId, accountId, keyId, amountNanoUsd, isWhole, keepMs } = request;
  const { eventId, alias, jobId } = request;
  const { rows } = await locks.run(accountId, () =>
    pool.query<KeptRow>({
      name: "keep-hold",
      text: `SELECT held, is_recorded, wallet_held, wallet_balance, refusal
        FROM keep_hold($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      values: [holdId, accountId, keyId, amountNanoUsd, isWhole, keepMs, eventId, alias, jobId],
    }),
  );
  const [row] = rows;
  if (row === undefined) throw new Error("keep_hold returned no row");
  return { ...toGrant(row.held, row), isRecorded: row.is_recorded };
}

interface KeptRow extends HeldWalletRow {
  held: bigint;
  is_recorded: boolean;
}
