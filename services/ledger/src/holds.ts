import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { minOf, type NanoUsd } from "@tollgate/core/money";
import { Pauses } from "@tollgate/core/pauses";
import {
  LimitKind,
  type LimitRefusal,
  LimitRefusalSchema,
  type Rates,
  RatesSchema,
} from "@tollgate/proto/tollgate/v1/limits";
import { isStatementFault } from "@tollgate/runtime/database/pool";
import type pg from "pg";
import { orTimeout, type PendingCaptures } from "./pending-captures.ts";
import {
  createWalletBatch,
  createWalletLocks,
  isLockTimeout,
  type WalletLocks,
} from "./wallet-locks.ts";

const batchLimit = 512;

/** How long a request waits for another one in progress to end, and how often it looks. */
const slotWait = { maxMs: 1_000, intervalMs: 50 };

/** More tokens than any model takes. The sums of a minute fit. */
const maxTokens = 10n ** 12n;

export interface HoldChange {
  holdId: string;
  accountId: string;
  /** Default: a key without limits. */
  keyId?: string;
  estimateNanoUsd: NanoUsd;
}

/** A hold that is taken; see sql/holds/take_holds.sql. */
export interface TakeRequest extends HoldChange {
  /** The least that is held where the wallet is short of money. Default: the estimate. */
  leastNanoUsd?: NanoUsd | undefined;
  /** Whether nothing is held where less than the estimate is available. */
  isWhole?: boolean;
  /** The tokens that the request is likely to use. Default: 0. */
  tokens?: bigint;
}

export interface HoldGrant {
  /** min(estimate, available). Zero: there is no hold. */
  heldNanoUsd: NanoUsd;
  /** What all holds of the wallet reserve, this one included. */
  walletHeldNanoUsd: NanoUsd;
  walletBalanceNanoUsd: NanoUsd;
  /** The limit for which nothing is held. */
  refusal?: LimitRefusal;
}

/** A hold that was taken. */
export interface TakeGrant extends HoldGrant {
  /** Undefined where no rate is limited. */
  rates?: Rates;
}

/** A hold that grows; see sql/holds/grow_hold.sql. */
export interface GrowRequest extends HoldChange {
  /** Whether a shared hold already counts the request as in progress. Default: false. */
  isCounted?: boolean;
}

/** A call whose signal is aborted while it waits for captures adds nothing more to its hold. */
export interface LedgerHolds {
  takeHold(request: TakeRequest, signal: AbortSignal): Promise<TakeGrant>;
  /** Adds min(estimate, available) to a hold. */
  growHold(request: GrowRequest, signal: AbortSignal): Promise<HoldGrant>;
}

/**
 * Creates functions that take and grow holds. A hold that gets less than it must, or is refused for a
 * limit that a capture can settle, waits until the pending captures are committed, 1 second at most,
 * and then takes what they release: they belong to requests whose responses were sent before. Where
 * too many requests are in progress, it also waits for those of other replicas, 1 second at most.
 */
export function createLedgerHolds(
  pool: pg.Pool,
  holdMs: number,
  captures: PendingCaptures,
  locks = createWalletLocks(pool),
): LedgerHolds {
  const take = createHoldTaker(pool, holdMs, locks);
  const grow = (request: GrowRequest) =>
    locks.run(request.accountId, () => growHold(pool, request, holdMs));

  async function fill<Request extends TakeRequest, Grant extends HoldGrant>(
    call: (request: Request) => Promise<Grant>,
    request: Request,
    signal: AbortSignal,
  ): Promise<Grant> {
    const { accountId } = request;
    // The call may not see captures that end while it runs.
    const before = captures.pending(accountId);
    const first = await call(request);
    const lacking = (request.leastNanoUsd ?? request.estimateNanoUsd) - first.heldNanoUsd;
    if (!isSettleable(first) || (lacking <= 0n && first.refusal === undefined)) return first;
    const flushed = captures.flush(accountId) ?? before;
    if (flushed === undefined) return first;
    await orTimeout(flushed);
    if (signal.aborted) return first;
    // Nothing was taken, or nothing can be added to it.
    if (first.heldNanoUsd === 0n || request.isWhole) return call(request).catch(() => first);
    const more = await grow({ ...request, estimateNanoUsd: lacking }).catch(() => undefined);
    if (more === undefined) return first;
    const heldNanoUsd = first.heldNanoUsd + more.heldNanoUsd;
    const { walletHeldNanoUsd, walletBalanceNanoUsd } = more;
    return { ...first, heldNanoUsd, walletHeldNanoUsd, walletBalanceNanoUsd };
  }

  async function takeHold(request: TakeRequest, signal: AbortSignal): Promise<TakeGrant> {
    let grant = await fill(take, request, signal);
    if (grant.refusal?.kind !== LimitKind.PARALLEL) return grant;
    const pauses = new Pauses({ firstMs: slotWait.intervalMs, forMs: slotWait.maxMs });
    while (grant.refusal?.kind === LimitKind.PARALLEL) {
      captures.flush(request.accountId);
      if (!(await pauses.next()) || signal.aborted) break;
      grant = await take(request).catch(() => grant);
    }
    return grant;
  }

  return {
    takeHold,
    growHold: (request, signal) => fill(grow, request, signal),
  };
}

/** Returns whether a capture can lead to another result: only time adds requests to a minute. */
function isSettleable({ refusal }: HoldGrant): boolean {
  return refusal?.kind !== LimitKind.REQUESTS;
}

/**
 * Creates a function that takes holds, many in one statement: requests that arrive while a
 * statement runs go into the next one. See sql/holds/take_holds.sql.
 */
export function createHoldTaker(
  pool: pg.Pool,
  holdMs: number,
  locks = createWalletLocks(pool),
): (request: TakeRequest) => Promise<TakeGrant> {
  return createWalletBatch({
    locks,
    accountOf: (request) => request.accountId,
    run: (requests) => takeHolds(pool, requests, holdMs),
    limit: batchLimit,
    isolates: isStatementFault,
  });
}

async function takeHolds(
  pool: pg.Pool,
  requests: readonly TakeRequest[],
  holdMs: number,
): Promise<TakeGrant[]> {
  const { rows } = await pool.query<TakenRow>({
    name: "take-holds",
    text: takeSql,
    values: [
      requests.map((request) => request.holdId),
      requests.map((request) => request.accountId),
      requests.map(({ keyId = "" }) => keyId),
      requests.map((request) => request.estimateNanoUsd),
      requests.map(({ leastNanoUsd, estimateNanoUsd }) => leastNanoUsd ?? estimateNanoUsd),
      requests.map((request) => request.isWhole === true),
      requests.map(({ tokens = 0n }) => minOf(tokens, maxTokens)),
      holdMs,
    ],
  });
  return rows.map((row) => ({
    heldNanoUsd: row.granted,
    walletHeldNanoUsd: row.wallet_held,
    walletBalanceNanoUsd: row.wallet_balance,
    ...refusalOf(row),
    ...(row.rates !== null && { rates: fromJson(RatesSchema, row.rates) }),
  }));
}

const takeSql = `SELECT granted, wallet_held, wallet_balance, refusal, rates
  FROM take_holds($1, $2, $3, $4, $5, $6, $7, $8)`;

interface RefusalRow {
  /** A tollgate.v1.LimitRefusal. */
  refusal: JsonValue;
}

interface WalletRow extends RefusalRow {
  wallet_held: bigint;
  wallet_balance: bigint;
}

interface GrownRow extends WalletRow {
  added: bigint;
}

interface TakenRow extends WalletRow {
  granted: bigint;
  /** A tollgate.v1.Rates. */
  rates: JsonValue;
}

function refusalOf({ refusal }: RefusalRow): { refusal?: LimitRefusal } {
  return refusal === null ? {} : { refusal: fromJson(LimitRefusalSchema, refusal) };
}

/**
 * Adds min(estimate, available) to a hold. A hold that has expired is created again with that
 * amount. See sql/holds/grow_hold.sql.
 */
export async function growHold(
  pool: pg.Pool,
  { holdId, accountId, keyId = "", estimateNanoUsd, isCounted = false }: GrowRequest,
  holdMs: number,
): Promise<HoldGrant> {
  const { rows } = await pool.query<GrownRow>({
    name: "grow-hold",
    text: `SELECT added, wallet_held, wallet_balance, refusal
      FROM grow_hold($1, $2, $3, $4, $5, $6)`,
    values: [holdId, accountId, keyId, estimateNanoUsd, isCounted, holdMs],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("grow_hold returned no row");
  return {
    heldNanoUsd: row.added,
    walletHeldNanoUsd: row.wallet_held,
    walletBalanceNanoUsd: row.wallet_balance,
    ...refusalOf(row),
  };
}

/**
 * Sets the holds to expire `holdMs` from now. A hold that no longer exists stays deleted. The holds
 * of a wallet that is locked are extended after the others.
 */
export async function extendHolds(
  pool: pg.Pool,
  locks: WalletLocks,
  holdIds: readonly string[],
  holdMs: number,
): Promise<void> {
  const extend = (ids: readonly string[]) =>
    pool.query("SELECT extend_holds($1, $2)", [ids, holdMs]);
  try {
    await extend(holdIds);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    const byOwner = await findOwners(pool, holdIds);
    await locks.look([...byOwner.keys()]);
    const free = [...byOwner].filter(([accountId]) => !locks.has(accountId));
    const others = [...byOwner].filter(([accountId]) => locks.has(accountId));
    if (free.length > 0) await extend(free.flatMap(([, ids]) => ids));
    await Promise.all(others.map(([accountId, ids]) => locks.run(accountId, () => extend(ids))));
  }
}

/** Resolves with the accounts of the holds that exist, each with the ids of its holds. */
export async function findOwners(
  pool: pg.Pool,
  holdIds: readonly string[],
): Promise<Map<string, string[]>> {
  const { rows } = await pool.query<{ account_id: string; ids: string[] }>(
    "SELECT account_id, array_agg(id) AS ids FROM hold WHERE id = ANY ($1) GROUP BY account_id",
    [holdIds],
  );
  return new Map(rows.map((row) => [row.account_id, row.ids]));
}
