import type { Log } from "@tollgate/core/log";
import { repeat } from "@tollgate/core/repeat";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";
import type { SharedAmounts } from "./shared-hold.ts";

const ledgerTimeoutMs = 5_000;
const retryMs = 1_000;
/** The lifetime of a hold that is not extended. */
const abandonAfterMs = 60_000;

/**
 * Releases held money that no request uses. Retries until that succeeds or the hold expires.
 */
export interface HoldReleaser {
  /** Releases a hold that the ledger may have taken although its response was lost. */
  release(holdId: string): void;
  /** Releases the hold of a request that still counts against the limit of requests per minute. */
  releaseMoney(holdId: string): void;
  /** Ends the part of a request in the limit of requests in progress: it goes on without its client. */
  releasePlace(holdId: string): void;
  /** Releases what is unused of a shared hold that is closed to further requests. */
  releaseUnused(shared: SharedAmounts & { holdId: string; accountId: string }): void;
  /** Resolves when the first attempts that are in progress have ended. Never rejects. */
  attempted(): Promise<unknown>;
  /** Stops the retries. */
  stop(): void;
}

interface Release {
  sinceMs: number;
  send(): Promise<unknown>;
}

export function createHoldReleaser(ledger: Client<typeof LedgerService>, log: Log): HoldReleaser {
  const firstAttempts = new Set<Promise<unknown>>();
  /** Oldest first. */
  const failed = new Set<Release>();

  /** Calls the ledger. Resolves with whether that succeeded. */
  async function attempt(release: Release): Promise<boolean> {
    try {
      await release.send();
      failed.delete(release);
      return true;
    } catch {
      failed.add(release);
      retries.resume();
      return false;
    }
  }

  function begin(send: () => Promise<unknown>): void {
    const attempted = attempt({ sinceMs: performance.now(), send });
    firstAttempts.add(attempted);
    void attempted.finally(() => firstAttempts.delete(attempted));
  }

  function abandonExpired(): void {
    let abandoned = 0;
    for (const release of failed) {
      if (performance.now() - release.sinceMs < abandonAfterMs) break;
      failed.delete(release);
      abandoned += 1;
    }
    if (abandoned > 0) log.warn({ holds: abandoned }, "holds not released, and left to expire");
  }

  /** Retries one after the other, to limit the load on a ledger that has just become available. */
  async function retry(): Promise<void> {
    abandonExpired();
    for (const release of failed) if (!(await attempt(release))) break;
  }

  const retries = repeat(retry, { everyMs: retryMs, isIdle: () => failed.size === 0 });
  const options = { timeoutMs: ledgerTimeoutMs };
  return {
    release: (holdId) => begin(() => ledger.releaseHold({ holdId }, options)),
    releaseMoney: (holdId) =>
      begin(() => ledger.releaseHold({ holdId, keepsRequest: true }, options)),
    releasePlace: (holdId) => begin(() => ledger.leaveHold({ holdId }, options)),
    releaseUnused: (shared) => begin(() => ledger.releaseSharedHold(shared, options)),
    attempted: () => Promise.all(firstAttempts),
    stop: () => void retries.stop(),
  };
}
