import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "@tollgate/core/ids";
import { repeat } from "@tollgate/core/repeat";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";
import { AccountDemand, type RoundDemand } from "./account-demand.ts";
import type { HoldExtender } from "./hold-extender.ts";
import type { HoldReleaser } from "./hold-releaser.ts";
import { type SharedAmounts, SharedHold } from "./shared-hold.ts";

/** The unused part of a shared hold is released when its account is idle for two ticks. */
const tickMs = 100;
/** A shared hold is replaced after each round. */
const ticksPerRound = 10;
const ledgerTimeoutMs = 5_000;
/** How long a process that stops waits for its releases. */
const stopTimeoutMs = 1_000;

/** Who pays for a request, and whose limits it counts against. */
export interface Payer {
  accountId: string;
  keyId: string;
  /** The end user of the request, as in `Caller`. Default: it names none. */
  endUser?: string;
  /** Whether the key or its account has limits. */
  isLimited: boolean;
}

/**
 * Takes a hold for each busy account of this process, which its requests share, and replaces it
 * every second, so that few requests wait for the ledger. An account that is not busy, or is idle,
 * has none, and all of its money is available between its requests. A key with limits shares holds
 * with no other key.
 */
export interface HoldSharing {
  /** Returns the demand of the requests that share holds with those of a payer. */
  demandOf(payer: Payer): AccountDemand;
  /** Stops sharing holds, and releases what is unused. Never rejects. */
  stop(): Promise<void>;
}

/** The requests that share holds: those of a key with limits, or of all other keys of an account. */
interface Group extends Payer {
  id: string;
  demand: AccountDemand;
}

/**
 * Starts sharing holds. An account, or a key with limits, is busy when it begins `busyFrom` requests
 * within a round; with 0 none is.
 *
 * Longer than 70 lines: its functions share the state of one account's holds.
 */
export function createHoldSharing(
  ledger: Client<typeof LedgerService>,
  extender: HoldExtender,
  releaser: HoldReleaser,
  busyFrom: number,
): HoldSharing {
  const groups = new Map<string, Group>();
  /** The rounds whose end waits for the ledger. The next round of the group waits for it. */
  const ending = new Map<string, Promise<void>>();
  let isStopped = false;
  let ticks = 0;

  function replace({ accountId, demand }: Group, next: SharedHold | undefined): void {
    const { shared } = demand;
    demand.shared = next;
    if (shared === undefined) return;
    releaser.releaseUnused({ accountId, holdId: shared.id, ...shared.close() });
    if (!shared.isInUse) extender.end(shared.extension);
  }

  async function requestShared(
    { accountId, keyId, isLimited }: Group,
    amounts: SharedAmounts,
  ): Promise<SharedHold | undefined> {
    const id = newId("hold");
    const requestedAtMs = performance.now();
    try {
      const request = { holdId: id, accountId, keyId, ...amounts };
      const response = await ledger.takeSharedHold(request, { timeoutMs: ledgerTimeoutMs });
      if (!response.granted) return undefined;
      const { expiresInMs, rates } = response;
      const extension = extender.begin(id, expiresInMs);
      const taken = { id, amounts, expiresInMs, extension, requestedAtMs, isLimited, rates };
      return new SharedHold(taken);
    } catch {
      // The ledger may have written it although the response was lost. Each request then takes a
      // hold of its own, and throws the ledger's error.
      releaser.release(id);
      return undefined;
    }
  }

  async function endRound(group: Group): Promise<void> {
    const round = group.demand.endRound();
    const isBusy = busyFrom > 0 && round.requests >= busyFrom;
    const next = isBusy ? await requestShared(group, sharesOf(round, group.isLimited)) : undefined;
    replace(group, next);
    if (isStopped) replace(group, undefined);
    if (group.demand.isEmpty) groups.delete(group.id);
  }

  function tick(): void {
    ticks += 1;
    const isRoundOver = ticks % ticksPerRound === 0;
    for (const group of groups.values()) {
      if (group.demand.checkIdle()) replace(group, undefined);
      if (!isRoundOver || ending.has(group.id)) continue;
      const ended = endRound(group).finally(() => ending.delete(group.id));
      ending.set(group.id, ended);
    }
  }

  // Ten ticks a second would cost more than all else of a process at rest.
  const ticking = repeat(tick, { everyMs: tickMs, isIdle: () => groups.size === 0 });

  async function releaseAll(): Promise<void> {
    for (const group of groups.values()) replace(group, undefined);
    await Promise.all(ending.values());
    await releaser.attempted();
  }

  return {
    demandOf({ accountId, keyId, isLimited }) {
      const id = isLimited ? keyId : accountId;
      let group = groups.get(id);
      if (group === undefined) {
        const owner = { accountId, keyId: isLimited ? keyId : "", isLimited };
        group = { id, ...owner, demand: new AccountDemand() };
        groups.set(id, group);
        ticking.resume();
      }
      return group.demand;
    },
    async stop() {
      isStopped = true;
      void ticking.stop();
      await Promise.race([releaseAll(), sleep(stopTimeoutMs, undefined, { ref: false })]);
    },
  };
}

/** Returns twice what a round needed. Without limits, only the money is counted. */
function sharesOf(
  { needed, requests, tokens, inProgress }: RoundDemand,
  isLimited: boolean,
): SharedAmounts {
  const amountNanoUsd = needed * 2n;
  if (!isLimited) return { amountNanoUsd, requests: 0, tokens: 0n, inProgress: 0 };
  return {
    amountNanoUsd,
    requests: requests * 2,
    tokens: tokens * 2n,
    inProgress: inProgress * 2,
  };
}
