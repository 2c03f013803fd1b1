import { createBatch } from "@tollgate/kit/batch";
import { isStatementFault } from "@tollgate/kit/database/pool";
import type { NanoUsd } from "@tollgate/kit/money";
import type pg from "pg";
import type { CapturesUnderWay } from "./captures-under-way.ts";

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

export interface Holds {
  takeHold(order: HoldOrder): Promise<HoldGrant>;
  /** Adds to a hold what is free, up to the estimate. */
  growHold(order: HoldOrder): Promise<HoldGrant>;
}

/**
 * Takes and grows holds. One that gets less than its estimate gets what it lacks, as far as there is
 * any, from what the captures under way give back: they settle requests that were answered before.
 */
export function createHolds(pool: pg.Pool, holdMs: number, captures: CapturesUnderWay): Holds {
  const take = createHoldTaker(pool, holdMs);
  const grow = (order: HoldOrder) => growHold(pool, order, holdMs);

  async function fill(order: HoldOrder, first: HoldGrant): Promise<HoldGrant> {
    const ended = captures.ended();
    if (first.held === order.estimate || ended === undefined) return first;
    await ended;
    const more = await grow({ ...order, estimate: order.estimate - first.held });
    return { held: first.held + more.held, walletHeld: more.walletHeld };
  }

  return {
    takeHold: async (order) => fill(order, await take(order)),
    growHold: async (order) => fill(order, await grow(order)),
  };
}

/**
 * Takes holds, many in one statement: what arrives while one is under way goes into the next. The
 * rule of a grant is the function `take_holds`, beside the tables that it moves.
 */
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
    text: "SELECT granted, wallet_held FROM take_holds($1, $2, $3, $4)",
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
 * Adds to a hold what is free, up to `estimate`. A hold that has expired is made anew with that.
 * See the function `grow_hold`.
 */
export async function growHold(
  pool: pg.Pool,
  { holdId, accountId, estimate }: HoldOrder,
  holdMs: number,
): Promise<HoldGrant> {
  const { rows } = await pool.query<{ added: bigint; wallet_held: bigint }>({
    name: "grow-hold",
    text: "SELECT added, wallet_held FROM grow_hold($1, $2, $3, $4)",
    values: [holdId, accountId, estimate, holdMs],
  });
  const [row] = rows;
  return { held: row?.added ?? 0n, walletHeld: row?.wallet_held ?? 0n };
}

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
