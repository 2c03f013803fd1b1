import { createBatch } from "@tollgate/core/batch";
import type { NanoUsd } from "@tollgate/core/money";
import { isStatementFault } from "@tollgate/runtime/database/pool";
import type pg from "pg";
import { type CapturesUnderWay, endedSoon } from "./captures-under-way.ts";

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

/** The signal is the caller's: once that is gone, it is given no more than it may know of. */
export interface Holds {
  takeHold(order: HoldOrder, signal: AbortSignal): Promise<HoldGrant>;
  /** Adds to a hold what is free, up to the estimate. */
  growHold(order: HoldOrder, signal: AbortSignal): Promise<HoldGrant>;
}

/**
 * Takes and grows holds. One that gets less than its estimate gets what it lacks, as far as there
 * is any, from what the captures under way give back: they settle requests that were answered
 * before.
 */
export function createHolds(pool: pg.Pool, holdMs: number, captures: CapturesUnderWay): Holds {
  const take = createHoldTaker(pool, holdMs);
  const grow = (order: HoldOrder) => growHold(pool, order, holdMs);

  async function filled(
    ask: (order: HoldOrder) => Promise<HoldGrant>,
    order: HoldOrder,
    signal: AbortSignal,
  ): Promise<HoldGrant> {
    // What ends while this asks may not have been seen by it.
    const before = captures.underWay();
    const first = await ask(order);
    if (first.held === order.estimate) return first;
    const ended = captures.ended() ?? before;
    if (ended === undefined) return first;
    await endedSoon(ended);
    if (signal.aborted) return first;
    const rest = { ...order, estimate: order.estimate - first.held };
    const more = await grow(rest).catch(() => undefined);
    if (more === undefined) return first;
    return { held: first.held + more.held, walletHeld: more.walletHeld };
  }

  return {
    takeHold: (order, signal) => filled(take, order, signal),
    growHold: (order, signal) => filled(grow, order, signal),
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
  await pool.query("SELECT extend_holds($1, $2)", [holdIds, holdMs]);
}
