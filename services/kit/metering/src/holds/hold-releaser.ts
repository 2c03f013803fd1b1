import type { Log } from "@tollgate/core/log";
import type { NanoUsd } from "@tollgate/core/money";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";

const ledgerTimeoutMs = 5_000;
const tryAgainMs = 1_000;
/** As long as a hold lives that nobody extends. */
const giveUpMs = 60_000;

/** Gives back what is held for nobody, again and again until the ledger has heard of it. */
export interface GiveBacks {
  /** Of a hold that may have been taken though the ledger's answer was lost. */
  whole(holdId: string): void;
  /** Of a shared hold that no other request may enter. */
  unused(shared: { holdId: string; accountId: string; amountNanoUsd: NanoUsd }): void;
  /** What has been told to the ledger and not been answered yet. Never raises. */
  underWay(): Promise<unknown>;
  /** Tries nothing again. */
  stop(): void;
}

interface GiveBack {
  since: number;
  tell(): Promise<unknown>;
}

export function createGiveBacks(ledger: Client<typeof LedgerService>, log: Log): GiveBacks {
  const attempts = new Set<Promise<unknown>>();
  /** Oldest first. */
  const failed = new Set<GiveBack>();
  let isTryingAgain = false;

  /** Answers whether the ledger has heard of it. */
  async function attempt(giveBack: GiveBack): Promise<boolean> {
    try {
      await giveBack.tell();
      failed.delete(giveBack);
      return true;
    } catch {
      failed.add(giveBack);
      return false;
    }
  }

  function begin(tell: () => Promise<unknown>): void {
    const attempted = attempt({ since: performance.now(), tell });
    attempts.add(attempted);
    void attempted.finally(() => attempts.delete(attempted));
  }

  function forgetExpired(): void {
    let forgotten = 0;
    for (const giveBack of failed) {
      if (performance.now() - giveBack.since < giveUpMs) break;
      failed.delete(giveBack);
      forgotten += 1;
    }
    if (forgotten > 0) log.warn({ holds: forgotten }, "holds not given back, and left to expire");
  }

  /** One after the other, so that a ledger which comes back is not run over. */
  async function tryAgain(): Promise<void> {
    if (isTryingAgain) return;
    isTryingAgain = true;
    forgetExpired();
    for (const giveBack of failed) if (!(await attempt(giveBack))) break;
    isTryingAgain = false;
  }

  const timer = setInterval(() => void tryAgain(), tryAgainMs);
  timer.unref();

  const options = { timeoutMs: ledgerTimeoutMs };
  return {
    whole: (holdId) => begin(() => ledger.releaseHold({ holdId }, options)),
    unused: (shared) => begin(() => ledger.releaseSharedHold(shared, options)),
    underWay: () => Promise.all(attempts),
    stop: () => clearInterval(timer),
  };
}
