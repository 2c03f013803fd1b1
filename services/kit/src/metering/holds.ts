import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import { GatewayError, PeerError } from "../errors.ts";
import type { Log } from "../log.ts";
import { formatUsd, maxBalanceNanoUsd, minOf, type NanoUsd } from "../money.ts";
import type { Metrics } from "../operations/metrics.ts";
import type { Client } from "../rpc/implementation.ts";

const holdTimeoutMs = 5_000;
const extendTickMs = 1_000;

export interface Holds {
  /**
   * Takes a hold of `min(estimate, available)` and keeps it from expiring until `settled`. Raises
   * `credit_balance_exhausted` when nothing is free, and `no_provider_available` when the ledger
   * could not write it.
   */
  take(holdId: string, accountId: string, estimate: NanoUsd): Promise<NanoUsd>;
  /**
   * Adds `min(estimate, available)` to a live hold, and answers how much that was. Raises what
   * `take` raises; the hold then stays as it was.
   */
  grow(holdId: string, accountId: string, estimate: NanoUsd): Promise<NanoUsd>;
  /** A usage event has taken the hold over: it is no longer extended. */
  settled(holdId: string): void;
  stop(): void;
}

/** Holds of this process's live requests. */
export function createHolds(
  ledger: Client<typeof LedgerService>,
  log: Log,
  metrics: Pick<Metrics, "holds" | "openHolds">,
): Holds {
  const live = new Map<string, LiveHold>();
  const count = (result: "taken" | "refused" | "failed") => metrics.holds.inc({ result });
  const timer = setInterval(() => void extendDue(live, ledger, log), extendTickMs);
  timer.unref();
  return {
    async take(holdId, accountId, estimate) {
      const asked = requestHold(ledger, holdId, accountId, minOf(estimate, maxBalanceNanoUsd));
      asked.catch(() => count("failed"));
      const hold = await asked;
      count(hold.heldNanoUsd === 0n ? "refused" : "taken");
      if (hold.heldNanoUsd === 0n) throw exhausted(hold.walletHeldNanoUsd);
      metrics.openHolds.inc();
      const everyMs = hold.expiresInMs / 3;
      live.set(holdId, { everyMs, dueAt: performance.now() + everyMs });
      return hold.heldNanoUsd;
    },
    async grow(holdId, accountId, estimate) {
      const request = { holdId, accountId, estimateNanoUsd: minOf(estimate, maxBalanceNanoUsd) };
      try {
        const grown = await ledger.growHold(request, { timeoutMs: holdTimeoutMs });
        if (grown.addedNanoUsd === 0n) throw exhausted(grown.walletHeldNanoUsd);
        return grown.addedNanoUsd;
      } catch (error) {
        throw holdFailure(error);
      }
    },
    settled(holdId) {
      if (live.delete(holdId)) metrics.openHolds.dec();
    },
    stop: () => clearInterval(timer),
  };
}

interface LiveHold {
  everyMs: number;
  dueAt: number;
}

async function requestHold(
  ledger: Client<typeof LedgerService>,
  holdId: string,
  accountId: string,
  estimateNanoUsd: NanoUsd,
) {
  try {
    const request = { holdId, accountId, estimateNanoUsd };
    return await ledger.hold(request, { timeoutMs: holdTimeoutMs });
  } catch (error) {
    // The hold may have been written though its answer was lost; given back it helps others sooner
    // than by expiring.
    ledger.releaseHold({ holdId }).catch(() => {});
    throw holdFailure(error);
  }
}

function holdFailure(error: unknown): unknown {
  if (error instanceof GatewayError && error.code !== "internal_error") return error;
  const reason = error instanceof PeerError ? "cannot be reached" : "cannot take a hold";
  const message = `The ledger ${reason} now, so the request cannot be paid. Retry in a moment.`;
  return new GatewayError("no_provider_available", message, { cause: error });
}

async function extendDue(
  live: ReadonlyMap<string, LiveHold>,
  ledger: Client<typeof LedgerService>,
  log: Log,
): Promise<void> {
  const now = performance.now();
  const due = [...live].filter(([, hold]) => hold.dueAt <= now);
  if (due.length === 0) return;
  for (const [, hold] of due) hold.dueAt = now + hold.everyMs;
  try {
    await ledger.extendHolds({ holdIds: due.map(([holdId]) => holdId) });
  } catch (error) {
    log.warn({ holds: due.length, reason: (error as Error).message }, "holds not extended");
    for (const [, hold] of due) hold.dueAt = now;
  }
}

/** The refusal of an empty wallet; it says so when only calls in flight keep the money. */
export function exhausted(walletHeld: NanoUsd): GatewayError {
  const message =
    walletHeld === 0n
      ? "The wallet is empty. Top it up to go on."
      : `Nothing in the wallet is free: calls in flight hold ${formatUsd(walletHeld)} USD. ` +
        "Retry when they have ended, or top it up.";
  return new GatewayError("credit_balance_exhausted", message);
}
