import { GatewayError } from "@tollgate/core/errors";
import { newId } from "@tollgate/core/ids";
import { formatUsd, maxBalanceNanoUsd } from "@tollgate/core/money";
import type pg from "pg";

export interface WalletRow {
  accountId: string;
  balanceNanoUsd: bigint;
  heldNanoUsd: bigint;
}

/** A wallet, and what else the ledger has of its account. */
export interface AccountWallet extends WalletRow {
  /** What the account owes for refunded and disputed payments. */
  debtNanoUsd: bigint;
  /** Whose days, weeks and months are the periods of the account's budgets. */
  timeZone: string;
}

/** Resolves with an account's wallet, or undefined if it has none. */
export async function findWallet(
  pool: pg.Pool,
  accountId: string,
): Promise<AccountWallet | undefined> {
  const { rows } = await pool.query<FoundWallet>({
    name: "find-wallet",
    // The debts are in the index reversal_owed.
    text: `SELECT balance_nano_usd AS balance, held_nano_usd AS held, time_zone,
        coalesce((SELECT sum(r.amount_nano_usd - r.taken_nano_usd) FROM reversal r
          WHERE r.account_id = $1 AND r.taken_nano_usd < r.amount_nano_usd AND NOT r.is_undone
        ), 0)::bigint AS debt
      FROM wallet WHERE account_id = $1`,
    values: [accountId],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    accountId,
    balanceNanoUsd: row.balance,
    heldNanoUsd: row.held,
    debtNanoUsd: row.debt,
    timeZone: row.time_zone,
  };
}

interface FoundWallet {
  balance: bigint;
  held: bigint;
  debt: bigint;
  time_zone: string;
}

/** Wallets hold whole micro-USD, so that six decimals write a balance exactly. */
const nanoPerMicro = 1_000n;

export interface TopUp {
  accountId: string;
  amountNanoUsd: bigint;
  /** The operator's own name for the payment: credited once. */
  reference: string;
  at: Date;
}

/**
 * Adds money to a wallet, and opens the wallet if there is none; an amount of zero only opens it. A
 * reference that was credited before with the same amount adds nothing. The amount first pays the debts of
 * the account. Throws `invalid_param` for a reference that was credited with another amount, and for more
 * than a wallet can hold.
 */
export async function topUp(
  pool: pg.Pool,
  { accountId, amountNanoUsd, reference, at }: TopUp,
): Promise<{ wallet: WalletRow; credited: boolean; collectedNanoUsd: bigint }> {
  if (amountNanoUsd % nanoPerMicro !== 0n) {
    throw invalidParam("amount", "An amount has at most six decimals.");
  }
  if (amountNanoUsd > maxBalanceNanoUsd) throw tooMuch();
  const { rows } = await pool.query<ChangedWallet & { collected: bigint }>({
    name: "top-up",
    text: "SELECT outcome, balance, held, collected FROM top_up($1, $2, $3, $4, $5, $6)",
    values: [newId("entry"), accountId, amountNanoUsd, reference, at, maxBalanceNanoUsd],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("top_up returned no row");
  if (row.outcome === "above_maximum") throw tooMuch();
  if (row.outcome === "conflict") {
    throw invalidParam("reference", "This reference was used before, for another amount.");
  }
  const wallet = { accountId, balanceNanoUsd: row.balance, heldNanoUsd: row.held };
  return { wallet, credited: row.outcome === "credited", collectedNanoUsd: row.collected };
}

/** The row that the SQL functions return which change a wallet. */
export interface ChangedWallet {
  outcome: string;
  balance: bigint;
  held: bigint;
}

export interface Adjustment extends TopUp {
  /** Why, for people: 1 to 200 characters. */
  reason: string;
}

/**
 * Adds an amount to a wallet, or takes it away, and opens the wallet if there is none. A reference
 * that was applied before with the same amount changes nothing; top-ups have references of their
 * own. Throws `invalid_param` for an amount of zero, for more than is available or a wallet can hold,
 * for a reference that was applied with another amount, and without a reason or reference.
 */
export async function adjust(
  pool: pg.Pool,
  { accountId, amountNanoUsd, reference, reason, at }: Adjustment,
): Promise<{ wallet: WalletRow; adjusted: boolean }> {
  requireAdjustment(amountNanoUsd, reference, reason);
  const { rows } = await pool.query<ChangedWallet>({
    name: "adjust-wallet",
    text: "SELECT outcome, balance, held FROM adjust_wallet($1, $2, $3, $4, $5, $6, $7)",
    values: [newId("entry"), accountId, amountNanoUsd, reference, reason, at, maxBalanceNanoUsd],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("adjust_wallet returned no row");
  if (row.outcome === "above_maximum") throw tooMuch();
  if (row.outcome === "conflict") {
    throw invalidParam("reference", "This reference was used before, for another amount.");
  }
  if (row.outcome === "below_available") {
    const available = formatUsd(row.balance - row.held);
    throw invalidParam("amount", `The wallet has ${available} USD available, which is less.`);
  }
  const wallet = { accountId, balanceNanoUsd: row.balance, heldNanoUsd: row.held };
  return { wallet, adjusted: row.outcome === "adjusted" };
}

const maxReasonLength = 200;

/** Throws `invalid_param` for an amount, a reference or a reason that no adjustment may have. */
export function requireAdjustment(amountNanoUsd: bigint, reference: string, reason: string): void {
  if (amountNanoUsd === 0n || amountNanoUsd % nanoPerMicro !== 0n) {
    throw invalidParam("amount", "An amount is not zero, and has at most six decimals.");
  }
  if (amountNanoUsd > maxBalanceNanoUsd) throw tooMuch();
  if (reason.trim() === "" || reason.length > maxReasonLength) {
    throw invalidParam("reason", `A reason has 1 to ${maxReasonLength} characters.`);
  }
  if (reference.trim() === "") throw invalidParam("reference", "An adjustment needs a reference.");
  const reserved = reservedPrefixes.find((prefix) => reference.startsWith(prefix));
  if (reserved !== undefined) {
    throw invalidParam("reference", `No such reference begins with ${reserved}`);
  }
}

/** The references of the adjustments that add_reversal_entry and refund_charge write. */
const reservedPrefixes = ["reversal:", "refund:"];

/** Returns the error of an amount that a wallet cannot hold. */
export function tooMuch(): GatewayError {
  return invalidParam("amount", `A wallet holds ${formatUsd(maxBalanceNanoUsd)} USD at the most.`);
}

function invalidParam(param: string, message: string): GatewayError {
  return new GatewayError("invalid_param", message, { param });
}
