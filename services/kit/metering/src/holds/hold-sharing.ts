import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "@tollgate/core/ids";
import type { NanoUsd } from "@tollgate/core/money";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";
import { AccountDemand } from "./account-demand.ts";
import type { LiveHolds } from "./hold-extender.ts";
import type { GiveBacks } from "./hold-releaser.ts";
import { SharedHold } from "./shared-hold.ts";

/** What an account that rests has left in its shared hold, is free again after two of these. */
const tickMs = 100;
/** A shared hold is replaced after a round. */
const ticksARound = 10;
const ledgerTimeoutMs = 5_000;
/** The longest that a process which ends waits for what it gives back. */
const lastGiveBackMs = 1_000;

/**
 * Gives an account that keeps this process busy a hold that its requests share, a new one every
 * second, so that few of them have to ask the ledger. An account that is not busy, or rests, has
 * none, and all of its money is free between its requests.
 */
export interface Sharing {
  account(accountId: string): AccountDemand;
  /** Shares nothing more, and gives back what is unused. Never raises. */
  stop(): Promise<void>;
}

/** An account is busy that begins `busyFrom` requests within a round; with 0 none is. */
export function createSharing(
  ledger: Client<typeof LedgerService>,
  live: LiveHolds,
  giveBacks: GiveBacks,
  busyFrom: number,
): Sharing {
  const accounts = new Map<string, AccountDemand>();
  /** The rounds that are asking the ledger. None is overtaken by the next. */
  const asking = new Map<string, Promise<void>>();
  let stopped = false;
  let ticks = 0;

  function replace(accountId: string, demand: AccountDemand, next: SharedHold | undefined): void {
    const { shared } = demand;
    demand.shared = next;
    if (shared === undefined) return;
    giveBacks.unused({ accountId, holdId: shared.id, amountNanoUsd: shared.close() });
    if (!shared.isLive) live.remove(shared.id);
  }

  async function ask(accountId: string, amountNanoUsd: NanoUsd): Promise<SharedHold | undefined> {
    const holdId = newId("hold");
    const askedAt = performance.now();
    try {
      const request = { holdId, accountId, amountNanoUsd };
      const answer = await ledger.takeSharedHold(request, { timeoutMs: ledgerTimeoutMs });
      if (!answer.granted) return undefined;
      live.add(holdId, answer.expiresInMs);
      return new SharedHold(holdId, amountNanoUsd, answer.expiresInMs, askedAt);
    } catch {
      // It may have been written though its answer was lost. Whoever needs it asks by himself, and
      // tells what is wrong with the ledger.
      giveBacks.whole(holdId);
      return undefined;
    }
  }

  async function endRound(accountId: string, demand: AccountDemand): Promise<void> {
    const { requests, needed } = demand.turn();
    const isBusy = busyFrom > 0 && requests >= busyFrom;
    const next = isBusy ? await ask(accountId, needed * 2n) : undefined;
    replace(accountId, demand, next);
    if (stopped) replace(accountId, demand, undefined);
    if (demand.isIdle) accounts.delete(accountId);
  }

  function tick(): void {
    ticks += 1;
    const isRound = ticks % ticksARound === 0;
    for (const [accountId, demand] of accounts) {
      if (demand.rests()) replace(accountId, demand, undefined);
      if (!isRound || asking.has(accountId)) continue;
      const asked = endRound(accountId, demand).finally(() => asking.delete(accountId));
      asking.set(accountId, asked);
    }
  }

  async function giveAllBack(): Promise<void> {
    for (const [accountId, demand] of accounts) replace(accountId, demand, undefined);
    await Promise.all(asking.values());
    await giveBacks.underWay();
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
      stopped = true;
      clearInterval(timer);
      await Promise.race([giveAllBack(), sleep(lastGiveBackMs, undefined, { ref: false })]);
    },
  };
}
