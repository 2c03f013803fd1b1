import { GatewayError } from "@tollgate/core/errors";
import { newId } from "@tollgate/core/ids";
import { formatUsd, maxBalanceNanoUsd } from "@tollgate/core/money";
import type pg from "pg";
import { inTransaction } from "./transaction.ts";

export interface WalletRow {
  accountId: string;
  balanceNanoUsd: bigint;
  heldNanoUsd: bigint;
}

export async function findWallet(pool: pg.Pool, accountId: string): Promise<WalletRow | undefined> {
  const { rows } = await pool.query<{ balance: bigint; held: bigint }>({
    name: "find-wallet",
    text: `SELECT balance_nano_usd AS balance, held_nano_usd AS held
      FROM wallet WHERE account_id = $1`,
    values: [accountId],
  });
  const [row] = rows;
  return row && { accountId, balanceNanoUsd: row.balance, heldNanoUsd: row.held };
}

/** Money moves in whole micro-USD, so that six decimals tell a wallet exactly. */
const nanoPerMicro = 1_000n;

/**
 * Adds money, nano-USD, and opens the wallet if there is none; zero only opens it. A reference that
 * was used before with the same amount adds nothing; with another amount it is `invalid_param`, as
 * is what no wallet can hold.
 */
export async function topUp(
  pool: pg.Pool,
  order: { accountId: string; amountNanoUsd: bigint; reference: string; at: Date },
): Promise<{ wallet: WalletRow; credited: boolean }> {
  if (order.amountNanoUsd % nanoPerMicro !== 0n) {
    const message = "An amount has at most six decimals.";
    throw new GatewayError("invalid_param", message, { param: "amount" });
  }
  if (order.amountNanoUsd > maxBalanceNanoUsd) throw tooMuch();
  return inTransaction(pool, async (client) => {
    await client.query(openWalletSql, [order.accountId]);
    const before = await lockWallet(client, order.accountId);
    if (order.amountNanoUsd === 0n) return { wallet: before, credited: false };
    const eventId = `top_up:${order.accountId}:${order.reference}`;
    const { rows } = await client.query<{ amount: bigint }>(
      "SELECT amount_nano_usd AS amount FROM entry WHERE event_id = $1 AND kind = 'top_up'",
      [eventId],
    );
    const earlier = rows[0]?.amount;
    if (earlier === order.amountNanoUsd) return { wallet: before, credited: false };
    if (earlier !== undefined) {
      const message = "This reference was used before, for another amount.";
      throw new GatewayError("invalid_param", message, { param: "reference" });
    }
    if (before.balanceNanoUsd + order.amountNanoUsd > maxBalanceNanoUsd) throw tooMuch();
    const { accountId, amountNanoUsd, reference, at } = order;
    await client.query(topUpEntrySql, [
      newId("entry"),
      eventId,
      accountId,
      amountNanoUsd,
      reference,
      at,
    ]);
    const balanceNanoUsd = before.balanceNanoUsd + order.amountNanoUsd;
    return { wallet: { ...before, balanceNanoUsd }, credited: true };
  });
}

function tooMuch(): GatewayError {
  const message = `A wallet holds ${formatUsd(maxBalanceNanoUsd)} USD at the most.`;
  return new GatewayError("invalid_param", message, { param: "amount" });
}

const openWalletSql = `
  INSERT INTO wallet (account_id, balance_nano_usd, held_nano_usd) VALUES ($1, 0, 0)
  ON CONFLICT DO NOTHING`;

/** What only usage has stays empty. */
const topUpEntrySql = `
  INSERT INTO entry (
    id, event_id, account_id, key_id, kind, amount_nano_usd, cost_nano_usd, uncollected_nano_usd,
    request_id, route_type, alias, provider, upstream_model, unit_type, quantity, basis,
    prompt_tokens, completion_tokens, cached_prompt_tokens, reference, occurred_at)
  VALUES ($1, $2, $3, '', 'top_up', $4, 0, 0, '', '', '', '', '', '', 0, '', 0, 0, 0, $5, $6)`;

async function lockWallet(client: pg.PoolClient, accountId: string): Promise<WalletRow> {
  const { rows } = await client.query<{ balance: bigint; held: bigint }>(
    `SELECT balance_nano_usd AS balance, held_nano_usd AS held
     FROM wallet WHERE account_id = $1 FOR UPDATE`,
    [accountId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error("the wallet that was just opened is gone");
  return { accountId, balanceNanoUsd: row.balance, heldNanoUsd: row.held };
}
