import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Implementation } from "@tollgate/rpc/implementation";
import { extendHolds } from "./extend-holds.ts";
import { createLedgerHolds } from "./holds.ts";
import { keepHold } from "./keep-hold.ts";
import type { LedgerParts } from "./ledger-parts.ts";
import { listOpenHolds } from "./open-holds.ts";
import { leaveHold, releaseHold } from "./release.ts";
import { releaseSharedHold, takeSharedHold } from "./shared-hold.ts";

/** Returns the calls that take, change and release holds. */
export function implementHolds(parts: LedgerParts) {
  const { pool, prisma, config, captures, locks } = parts;
  const { takeHold, growHold } = createLedgerHolds(pool, config.holdMs, captures, locks);
  /** A caller that timed out may have released its hold before it was taken. */
  async function releaseIfAborted(holdId: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) await releaseHold(pool, locks, holdId);
  }

  return {
    async hold(request, { signal }) {
      const { holdId } = request;
      const grant = await takeHold(request, signal);
      await releaseIfAborted(holdId, signal);
      return { ...grant, expiresInMs: config.holdMs };
    },
    async growHold(request, { signal }) {
      const { heldNanoUsd: addedNanoUsd, ...grant } = await growHold(request, signal);
      return { addedNanoUsd, ...grant };
    },
    async takeSharedHold(shared, { signal }) {
      const { accountId, holdId } = shared;
      const grant = await locks.run(accountId, () => takeSharedHold(pool, shared, config.holdMs));
      if (grant.granted) await releaseIfAborted(holdId, signal);
      return { ...grant, expiresInMs: config.holdMs };
    },
    async releaseSharedHold(unused) {
      await locks.run(unused.accountId, () => releaseSharedHold(pool, unused));
      return {};
    },
    async keepHold(request) {
      return keepHold(pool, locks, request);
    },
    async extendHolds({ holdIds }) {
      await extendHolds(pool, locks, holdIds, config.holdMs);
      return {};
    },
    async releaseHold({ holdId, keepsRequest }) {
      await releaseHold(pool, locks, holdId, keepsRequest);
      return {};
    },
    async leaveHold({ holdId }) {
      await leaveHold(pool, locks, holdId);
      return {};
    },
    async listOpenHolds(page) {
      return listOpenHolds(prisma, page);
    },
  } satisfies Partial<Implementation<typeof LedgerService>>;
}
