import { Pauses } from "@tollgate/core/pauses";
import { LimitKind } from "@tollgate/proto/tollgate/v1/limits";
import type pg from "pg";
import { type GrowRequest, growHold } from "./grow-hold.ts";
import type { HoldGrant } from "./hold-grant.ts";
import { orTimeout, type PendingCaptures } from "./pending-captures.ts";
import { createHoldTaker, type TakeGrant, type TakeRequest } from "./take-holds.ts";
import { createWalletLocks } from "./wallet-locks.ts";

/** How long a request waits for another one in progress to end, and how often it looks. */
const slotWait = { maxMs: 1_000, intervalMs: 50 };

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
