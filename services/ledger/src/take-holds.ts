import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { minOf, type NanoUsd } from "@tollgate/core/money";
import { type RateLimits, RateLimitsSchema } from "@tollgate/proto/tollgate/v1/limits";
import { isStatementFault } from "@tollgate/runtime/database/pool";
import type pg from "pg";
import { type HeldWalletRow, type HoldChange, type HoldGrant, toGrant } from "./hold-grant.ts";
import { createWalletBatch, createWalletLocks } from "./wallet-locks.ts";

const batchLimit = 512;

/** More tokens than any model takes. The sums of a minute fit. */
const maxTokens = 10n ** 12n;

/** A hold that is taken; see sql/holds/take_holds.sql. */
export interface TakeRequest extends HoldChange {
  /** The least that is held where the wallet is short of money. Default: the estimate. */
  leastNanoUsd?: NanoUsd | undefined;
  /** Less than this is held only where nothing else of the wallet or the budget is held. Default: 0. */
  aloneBelowNanoUsd?: NanoUsd;
  /** Whether nothing is held where less than the estimate is available. */
  isWhole?: boolean;
  /** Whether nothing is held where the budgets have less than the estimate left. */
  needsBudget?: boolean;
  /** The tokens that the request is likely to use. Default: 0. */
  tokens?: bigint;
  /** The model of the request, for its entry if it is lost. Default: it has none. */
  alias?: string;
  routeType?: string;
  unitType?: string;
}

/** A hold that was taken. */
export interface TakeGrant extends HoldGrant {
  /** Undefined where no rate is limited. */
  rates?: RateLimits;
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
      requests.map(({ endUser = "" }) => endUser),
      requests.map((request) => request.estimateNanoUsd),
      requests.map(({ leastNanoUsd, estimateNanoUsd }) => leastNanoUsd ?? estimateNanoUsd),
      requests.map(({ aloneBelowNanoUsd = 0n }) => aloneBelowNanoUsd),
      requests.map((request) => request.isWhole === true),
      requests.map((request) => request.needsBudget === true),
      requests.map(({ tokens = 0n }) => minOf(tokens, maxTokens)),
      requests.map(({ alias = "" }) => alias),
      requests.map(({ routeType = "" }) => routeType),
      requests.map(({ unitType = "" }) => unitType),
      holdMs,
    ],
  });
  return rows.map((row) => ({
    ...toGrant(row.granted, row),
    ...(row.rates !== null && { rates: fromJson(RateLimitsSchema, row.rates) }),
  }));
}

const takeSql = `SELECT granted, wallet_held, wallet_balance, refusal, rates
  FROM take_holds($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`;

interface TakenRow extends HeldWalletRow {
  granted: bigint;
  /** A tollgate.v1.RateLimits. */
  rates: JsonValue;
}
