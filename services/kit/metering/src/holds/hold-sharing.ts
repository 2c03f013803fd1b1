import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "@tollgate/core/ids";
import type { NanoUsd } from "@tollgate/core/money";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";
import { AccountDemand } from "./account-demand.ts";
import type { HoldExtender } from "./hold-extender.ts";
import type { HoldReleaser } from "./hold-releaser.ts";
import { SharedHold } from "./shared-hold.ts";

/** The unused part of a shared hold is released when its account is idle for two ticks. */
const tickMs = 100;
/** A shared hold is replaced after each round. */
const ticksPerRound = 10;
const ledgerTimeoutMs = 5_000;
/** How long a process that stops waits for its releases. */
const stopTimeoutMs = 1_000;

/**
 * Takes a hold for each busy account of this process, which its requests share, and replaces it
 * every second, so that few requests wait for the ledger. An account that is not busy, or is idle,
 * has none, and all of its money is available between its requests.
 */
export interface HoldSharing {
  account(accountId: string): AccountDemand;
  /** Stops sharing holds, and releases what is unused. Never rejects. */
  stop(): Promise<void>;
}

/**
 * Starts sharing holds. An account is busy when it begins `busyFrom` requests within a round; with
 * 0 none is.
 */
export function createHoldSharing(
  ledger: Client<typeof LedgerService>,
  extender: HoldExtender,
  releaser: HoldReleaser,
  busyFrom: number,
): HoldSharing {
  const accounts = new Map<string, AccountDemand>();
  /** The rounds whose end waits for the ledger. The next round of the account waits for it. */
  const ending = new Map<string, Promise<void>>();
  let isStopped = false;
  let ticks = 0;

  function replace(accountId: string, demand: AccountDemand, next: SharedHold | undefined): void {
    const { shared } = demand;
    demand.shared = next;
    if (shared === undefined) return;
    releaser.releaseUnused({ accountId, holdId: shared.id, amountNanoUsd: shared.close() });
    if (!shared.isInUse) extender.remove(shared.id);
  }

  async function requestShared(
    accountId: string,
    amountNanoUsd: NanoUsd,
  ): Promise<SharedHold | undefined> {
    const holdId = newId("hold");
    const requestedAtMs = performance.now();
    try {
      const request = { holdId, accountId, amountNanoUsd };
      const response = await ledger.takeSharedHold(request, { timeoutMs: ledgerTimeoutMs });
      if (!response.granted) return undefined;
      extender.add(holdId, response.expiresInMs);
      return new SharedHold(holdId, amountNanoUsd, response.expiresInMs, requestedAtMs);
    } catch {
      // The ledger may have written it although the response was lost. Each request then takes a
      // hold of its own, and throws the ledger's error.
      releaser.release(holdId);
      return undefined;
    }
  }

  async function endRound(accountId: string, demand: AccountDemand): Promise<void> {
    const { requests, needed } = demand.endRound();
    const isBusy = busyFrom > 0 && requests >= busyFrom;
    const next = isBusy ? await requestShared(accountId, needed * 2n) : undefined;
    replace(accountId, demand, next);
    if (isStopped) replace(accountId, demand, undefined);
    if (demand.isEmpty) accounts.delete(accountId);
  }

  function tick(): void {
    ticks += 1;
    const isRoundOver = ticks % ticksPerRound === 0;
    for (const [accountId, demand] of accounts) {
      if (demand.checkIdle()) replace(accountId, demand, undefined);
      if (!isRoundOver || ending.has(accountId)) continue;
      const ended = endRound(accountId, demand).finally(() => ending.delete(accountId));
      ending.set(accountId, ended);
    }
  }

  async function releaseAll(): Promise<void> {
    for (const [accountId, demand] of accounts) replace(accountId, demand, undefined);
    await Promise.all(ending.values());
    await releaser.attempted();
  }

  const timer = setInterval(tick, tickMs);
  timer.unref();

  return {
    account(accountId) {
      let demand = accounts.get(accountId);
      if (demand === undefined) {
        demand = new AccountDemand();
        accounts.set(accountId, demand);
      }
      return demand;
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await Promise.race([releaseAll(), sleep(stopTimeoutMs, undefined, { ref: false })]);
    },
  };
}
