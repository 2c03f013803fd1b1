import { createBatch } from "@tollgate/kit/batch";
import { isStatementFault } from "@tollgate/kit/database/pool";
import type { NanoUsd } from "@tollgate/kit/money";
import type pg from "pg";

const batchLimit = 512;

export interface HoldOrder {
  holdId: string;
  accountId: string;
  estimate: NanoUsd;
}

export interface HoldGrant {
  /** min(estimate, available); zero: there is no hold. */
  held: NanoUsd;
  /** What all holds of the wallet keep aside, this one included. */
  walletHeld: NanoUsd;
}

/** Takes holds, many in one statement: what arrives while one is under way goes into the next. */
export function createHoldTaker(
  pool: pg.Pool,
  holdMs: number,
): (order: HoldOrder) => Promise<HoldGrant> {
  return createBatch({
    run: (orders) => takeHolds(pool, orders, holdMs),
    limit: batchLimit,
    isolates: isStatementFault,
  });
}

async function takeHolds(
  pool: pg.Pool,
  orders: readonly HoldOrder[],
  holdMs: number,
): Promise<HoldGrant[]> {
  const { rows } = await pool.query<{ granted: bigint; wallet_held: bigint }>({
    name: "take-holds",
    text: takeHoldsSql,
    values: [
      orders.map((order) => order.holdId),
      orders.map((order) => order.accountId),
      orders.map((order) => order.estimate),
      holdMs,
    ],
  });
  return rows.map((row) => ({ held: row.granted, walletHeld: row.wallet_held }));
}

/**
 * Wallets are locked in the order of their ids, as everywhere. Within a wallet the orders are
 * served in turn, each from what those before it left. The lock comes before the arithmetic, so
 * that two replicas never grant the same money.
 *
 * A hold's commit is not waited for on disk. A database that crashes may forget the holds of its
 * last moments, the wallet's share with them, so nothing falls apart: their calls settle as those
 * of expired holds do. Entries are always waited for.
 */
const takeHoldsSql = `
  WITH ordered AS (
    SELECT hold_id, account_id, estimate, position
    FROM unnest($1::text[], $2::text[], $3::bigint[])
      WITH ORDINALITY AS o (hold_id, account_id, estimate, position)
  ), locked AS MATERIALIZED (
    SELECT account_id, held_nano_usd, balance_nano_usd - held_nano_usd AS available
    FROM wallet
    WHERE account_id IN (SELECT account_id FROM ordered)
    ORDER BY account_id
    FOR UPDATE
  ), demanded AS (
    SELECT o.*, l.held_nano_usd, coalesce(l.available, 0) AS available,
      sum(o.estimate) OVER (PARTITION BY o.account_id ORDER BY o.position) - o.estimate AS ahead
    FROM ordered o LEFT JOIN locked l USING (account_id)
  ), granted AS (
    SELECT *,
      greatest(0, least(estimate, available - least(ahead, available)))::bigint AS amount
    FROM demanded
  ), moved AS (
    UPDATE wallet w SET held_nano_usd = w.held_nano_usd + g.amount
    FROM (SELECT account_id, sum(amount)::bigint AS amount FROM granted GROUP BY account_id) g
    WHERE w.account_id = g.account_id AND g.amount > 0
  ), written AS (
    INSERT INTO hold (id, account_id, amount_nano_usd, expires_at)
    SELECT hold_id, account_id, amount, now() + $4 * interval '1 millisecond'
    FROM granted WHERE amount > 0
  )
  SELECT amount AS granted,
    (coalesce(held_nano_usd, 0)
      + sum(amount) OVER (PARTITION BY account_id ORDER BY position))::bigint AS wallet_held
  FROM granted, set_config('synchronous_commit', 'off', true) ORDER BY position`;

/**
 * Adds to a hold what is free, up to `estimate`. A hold that has expired is made anew with that.
 * The wallet is locked first, as everywhere.
 */
export async function growHold(
  pool: pg.Pool,
  { holdId, accountId, estimate }: HoldOrder,
  holdMs: number,
): Promise<HoldGrant> {
  const { rows } = await pool.query<{ added: bigint; wallet_held: bigint }>({
    name: "grow-hold",
    text: growHoldSql,
    values: [holdId, accountId, estimate, holdMs],
  });
  const [row] = rows;
  return { held: row?.added ?? 0n, walletHeld: row?.wallet_held ?? 0n };
}

const growHoldSql = `
  WITH locked AS MATERIALIZED (
    SELECT account_id, held_nano_usd,
      least($3::bigint, balance_nano_usd - held_nano_usd) AS added
    FROM wallet WHERE account_id = $2 FOR UPDATE
  ), grown AS (
    INSERT INTO hold (id, account_id, amount_nano_usd, expires_at)
    SELECT $1, account_id, added, now() + $4 * interval '1 millisecond' FROM locked WHERE added > 0
    ON CONFLICT (id) DO UPDATE SET
      amount_nano_usd = hold.amount_nano_usd + excluded.amount_nano_usd,
      expires_at = excluded.expires_at
  ), moved AS (
    UPDATE wallet SET held_nano_usd = wallet.held_nano_usd + locked.added
    FROM locked WHERE wallet.account_id = locked.account_id AND locked.added > 0
  )
  SELECT added, held_nano_usd + added AS wallet_held FROM locked`;

/** Moves the end of live holds; a hold that is gone already stays gone. */
export async function extendHolds(
  pool: pg.Pool,
  holdIds: readonly string[],
  holdMs: number,
): Promise<void> {
  await pool.query(
    `UPDATE hold SET expires_at = now() + $2 * interval '1 millisecond' WHERE id = ANY ($1)`,
    [holdIds, holdMs],
  );
}
