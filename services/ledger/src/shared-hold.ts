import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { type RateLimits, RateLimitsSchema } from "@tollgate/proto/tollgate/v1/limits";
import type pg from "pg";

/**
 * All shared holds of a wallet are at most one sixteenth of the money that nothing else holds. What
 * is unused in them is unavailable to other requests for a moment; so small a part refuses hardly
 * any of them. The same part is the most of each limit.
 */
const parts = 16;

export interface SharedHoldChange {
  holdId: string;
  accountId: string;
  amountNanoUsd: bigint;
  /** What it takes of limits, or releases of them: requests and tokens of a minute. Default: 0. */
  requests?: number;
  tokens?: bigint;
  /** The requests in progress that it allows, or releases. Default: 0. */
  inProgress?: number;
}

/** A shared hold that is taken. */
export interface SharedHoldRequest extends SharedHoldChange {
  /** The key whose requests share it. Default: the account's keys without limits. */
  keyId?: string;
}

export interface SharedHoldGrant {
  granted: boolean;
  /** What is left beside the hold. Undefined where no rate is limited. */
  rates?: RateLimits;
}

/** Takes a hold that many requests share, in full or not at all. See sql/holds/take_shared_hold.sql. */
export async function takeSharedHold(
  pool: pg.Pool,
  request: SharedHoldRequest,
  holdMs: number,
): Promise<SharedHoldGrant> {
  const { holdId, accountId, keyId = "", amountNanoUsd } = request;
  const { rows } = await pool.query<{ granted: boolean; rates: JsonValue }>({
    name: "take-shared-hold",
    text: "SELECT granted, rates FROM take_shared_hold($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    values: [holdId, accountId, keyId, amountNanoUsd, ...takenOf(request), parts, holdMs],
  });
  const [row] = rows;
  return {
    granted: row?.granted ?? false,
    ...(row?.rates != null && { rates: fromJson(RateLimitsSchema, row.rates) }),
  };
}

/** Releases the given part of a shared hold, once: a second call changes nothing. */
export async function releaseSharedHold(pool: pg.Pool, unused: SharedHoldChange): Promise<void> {
  const { holdId, accountId, amountNanoUsd } = unused;
  await pool.query({
    name: "release-shared-hold",
    text: "SELECT release_shared_hold($1, $2, $3, $4, $5, $6)",
    values: [holdId, accountId, amountNanoUsd, ...takenOf(unused)],
  });
}

function takenOf({ requests = 0, tokens = 0n, inProgress = 0 }: SharedHoldChange) {
  return [requests, tokens, inProgress];
}
