import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { newId } from "@tollgate/core/ids";
import { formatUsd, maxBalanceNanoUsd } from "@tollgate/core/money";
import type pg from "pg";
import type { Entry, PrismaClient } from "./generated/client.ts";
import {
  type Adjustment,
  type ChangedWallet,
  requireAdjustment,
  tooMuch,
  type WalletRow,
} from "./wallet.ts";

/** The references of the adjustments that refund_charge writes. */
export const refundPrefix = "refund:";
/** More than anybody makes. */
const maxRefunds = 1_000;

export interface Refund extends Adjustment {
  requestId: string;
}

/**
 * Adds an amount of what a request was charged to the wallet that paid it. A reference that was applied before
 * with the same amount changes nothing. Throws `invalid_param` for more than is left to refund, for a reference
 * that was applied with another amount, and without a reason or reference.
 */
export async function refundCharge(
  pool: pg.Pool,
  { accountId, requestId, amountNanoUsd, reference, reason, at }: Refund,
): Promise<{ wallet: WalletRow; refunded: boolean }> {
  requireAdjustment(amountNanoUsd, reference, reason);
  if (amountNanoUsd < 0n) throw invalidParam("amount", "must be more than zero");
  const values = [newId("entry"), accountId, requestId, amountNanoUsd, reference, reason, at];
  const { rows } = await pool.query<ChangedWallet & { refundable: bigint }>({
    name: "refund-charge",
    text: `SELECT outcome, balance, held, refundable
      FROM refund_charge($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [...values, maxBalanceNanoUsd],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("refund_charge returned no row");
  if (row.outcome === "above_maximum") throw tooMuch();
  if (row.outcome === "conflict") {
    const message = "This reference was used before, for another amount.";
    throw new GatewayError("invalid_param", message, { param: "reference" });
  }
  if (row.outcome === "above_charge") {
    throw invalidParam(
      "amount",
      `must be at most ${formatUsd(row.refundable)} USD, what is left of the charge`,
    );
  }
  const wallet = { accountId, balanceNanoUsd: row.balance, heldNanoUsd: row.held };
  return { wallet, refunded: row.outcome === "refunded" };
}

/** Resolves with the refunds of requests, oldest first. */
export async function findRefunds(
  prisma: PrismaClient,
  requestIds: readonly string[],
): Promise<Entry[]> {
  if (requestIds.length === 0) return [];
  return prisma.entry.findMany({
    where: { requestId: { in: [...requestIds] }, kind: "adjustment" },
    orderBy: [{ recordedAt: "asc" }, { id: "asc" }],
    take: maxRefunds,
  });
}
