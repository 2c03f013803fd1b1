import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { maxBalanceNanoUsd } from "@tollgate/core/money";
import type pg from "pg";
import {
  type AccountWallet,
  type Adjustment,
  type ChangedWallet,
  findWallet,
  tooMuch,
} from "./wallet.ts";

/**
 * Debits a wallet for a payment that was refunded or disputed: the available balance at once, and the rest,
 * which is a debt, as soon as the wallet has it. A reference that was applied or undone before changes
 * nothing. Throws `invalid_param` for a reference that was applied with another amount.
 */
export async function reverseTopUp(
  pool: pg.Pool,
  { accountId, amountNanoUsd, reference, reason, at }: Adjustment,
): Promise<{ wallet: AccountWallet; reversed: boolean }> {
  requireReversal(amountNanoUsd, reference, reason);
  const { rows } = await pool.query<ChangedWallet>({
    name: "reverse-top-up",
    text: "SELECT outcome, balance, held FROM reverse_top_up($1, $2, $3, $4, $5)",
    values: [accountId, amountNanoUsd, reference, reason, at],
  });
  const outcome = outcomeOf(rows);
  return { wallet: await readWallet(pool, accountId), reversed: outcome === "reversed" };
}

/**
 * Credits a wallet with the amount that a reversal debited, and cancels the debt of the reversal. A reference
 * that was undone before changes nothing. One that is undone before it is applied is never applied. Throws
 * `invalid_param` for a reference that was applied with another amount, and for more than a wallet can hold.
 */
export async function undoReversal(
  pool: pg.Pool,
  { accountId, amountNanoUsd, reference, reason, at }: Adjustment,
): Promise<{ wallet: AccountWallet; undone: boolean }> {
  requireReversal(amountNanoUsd, reference, reason);
  const { rows } = await pool.query<ChangedWallet>({
    name: "undo-reversal",
    text: "SELECT outcome, balance, held FROM undo_reversal($1, $2, $3, $4, $5, $6)",
    values: [accountId, amountNanoUsd, reference, reason, at, maxBalanceNanoUsd],
  });
  const outcome = outcomeOf(rows);
  return { wallet: await readWallet(pool, accountId), undone: outcome === "undone" };
}

/** Collects debts from the available balances. Resolves with the number of accounts that paid. */
export async function collectDebts(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ accounts: number }>({
    name: "collect-debts",
    text: "SELECT collect_debts() AS accounts",
  });
  return rows[0]?.accounts ?? 0;
}

const maxTextLength = 200;
/** Wallets hold whole micro-USD. */
const nanoPerMicro = 1_000n;

function requireReversal(amountNanoUsd: bigint, reference: string, reason: string): void {
  if (amountNanoUsd === 0n || amountNanoUsd % nanoPerMicro !== 0n) {
    throw invalidParam("amount", "must be more than zero, with at most six decimals");
  }
  if (amountNanoUsd > maxBalanceNanoUsd) throw tooMuch();
  for (const [name, text] of Object.entries({ reference, reason })) {
    if (text.trim() !== "" && text.length <= maxTextLength) continue;
    throw invalidParam(name, `must have 1 to ${maxTextLength} characters`);
  }
}

function outcomeOf([row]: readonly ChangedWallet[]): string {
  if (row === undefined) throw new Error("a function of a reversal returned no row");
  if (row.outcome === "above_maximum") throw tooMuch();
  if (row.outcome !== "conflict") return row.outcome;
  const message = "This reference was used before, for another amount.";
  throw new GatewayError("invalid_param", message, { param: "reference" });
}

async function readWallet(pool: pg.Pool, accountId: string): Promise<AccountWallet> {
  const wallet = await findWallet(pool, accountId);
  if (wallet === undefined) throw new Error("a wallet that was changed does not exist");
  return wallet;
}
