import { GatewayError } from "@tollgate/kit/errors";
import { newId } from "@tollgate/kit/ids";
import type pg from "pg";
import { entryColumns, topUpEntry, topUpEventId, writeEntriesSql } from "./entries.ts";
import type { PrismaClient } from "./generated/client.ts";
import { inTransaction } from "./transaction.ts";

export interface WalletRow {
  accountId: string;
  balanceNanoUsd: bigint;
  heldNanoUsd: bigint;
}

export async function findWallet(
  prisma: PrismaClient,
  accountId: string,
): Promise<WalletRow | undefined> {
  return (await prisma.wallet.findUnique({ where: { accountId } })) ?? undefined;
}

/** Money moves in whole micro-USD, so that six decimals tell a wallet exactly. */
const nanoPerMicro = 1_000n;

/**
 * Adds money, nano-USD, and opens the wallet if there is none; zero only opens it. A reference that
 * was used before with the same amount adds nothing; with another amount it is `invalid_param`.
 */
export async function topUp(
  pool: pg.Pool,
  order: { accountId: string; amountNanoUsd: bigint; reference: string; at: Date },
): Promise<{ wallet: WalletRow; credited: boolean }> {
  if (order.amountNanoUsd % nanoPerMicro !== 0n) {
    const message = "An amount has at most six decimals.";
    throw new GatewayError("invalid_param", message, { param: "amount" });
  }
  return inTransaction(pool, async (client) => {
    await client.query(openWalletSql, [order.accountId]);
    const before = await lockWallet(client, order.accountId);
    if (order.amountNanoUsd === 0n) return { wallet: before, credited: false };
    const { rows } = await client.query<{ amount: bigint }>(
      "SELECT amount_nano_usd AS amount FROM entry WHERE event_id = $1",
      [topUpEventId(order.accountId, order.reference)],
    );
    const earlier = rows[0]?.amount;
    if (earlier === order.amountNanoUsd) return { wallet: before, credited: false };
    if (earlier !== undefined) {
      const message = "This reference was used before, for another amount.";
      throw new GatewayError("invalid_param", message, { param: "reference" });
    }
    await client.query(writeEntriesSql, entryColumns([topUpEntry(newId("entry"), order)]));
    await client.query(
      "UPDATE wallet SET balance_nano_usd = balance_nano_usd + $2 WHERE account_id = $1",
      [order.accountId, order.amountNanoUsd],
    );
    const balanceNanoUsd = before.balanceNanoUsd + order.amountNanoUsd;
    return { wallet: { ...before, balanceNanoUsd }, credited: true };
  });
}

const openWalletSql = `
  INSERT INTO wallet (account_id, balance_nano_usd, held_nano_usd) VALUES ($1, 0, 0)
  ON CONFLICT DO NOTHING`;

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
