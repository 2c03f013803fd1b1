import type { GatewayError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { maxBalanceNanoUsd, minOf, type NanoUsd } from "@tollgate/core/money";
import type { HoldResponse, LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import type { AccountDemand } from "./account-demand.ts";
import { emptyHold, type Hold } from "./hold.ts";
import { createHoldExtender } from "./hold-extender.ts";
import { estimateUnavailable, holdFailure, walletExhausted } from "./hold-failure.ts";
import { createHoldReleaser, type HoldReleaser } from "./hold-releaser.ts";
import { createHoldSharing, type Payer } from "./hold-sharing.ts";
import { type LimitName, limitExceeded, limitNameOf } from "./limit-refusal.ts";
import { holdTimeoutMs, type RequestedHold, TakenHold } from "./taken-hold.ts";

export interface HoldTerms {
  /**
   * Of a hold that can start small, because it grows: the least that is held, where that much is
   * available, when the wallet is short of money. Default: the estimate.
   */
  least?: NanoUsd | undefined;
  /** Whether `credit_balance_exhausted` is thrown where less than the estimate is available. */
  isWhole?: boolean;
  /** The tokens that the request is likely to use, for a limit of tokens per minute. Default: 0. */
  tokens?: bigint | undefined;
}

/** Takes the holds of this process's requests. */
export interface Holds {
  /**
   * Takes a hold of `min(estimate, available)`, and extends it until `stopExtending`. A request
   * with an estimate of zero needs none unless its payer has limits, and is served from an empty
   * wallet too. Throws `credit_balance_exhausted` when nothing is available of the wallet or of a
   * budget, `rate_limited` when another limit is reached, and `no_provider_available` when the ledger
   * cannot write the hold.
   */
  take(requestId: string, payer: Payer, estimate: NanoUsd, terms?: HoldTerms): Promise<Hold>;
  /**
   * Throws what `take` throws for a request that is billed after it has ended. Where its payer has
   * limits, it counts against those of requests; otherwise nothing is held and the ledger is not
   * called.
   */
  admit(requestId: string, payer: Payer, estimate: NanoUsd): Promise<void>;
  /** Stops sharing holds, and releases what no request uses. Never rejects. */
  stopSharing(): Promise<void>;
  /** Stops extending and releasing holds. */
  stop(): void;
}

/**
 * Creates the holds of this process. The requests of an account share holds when it begins
 * `busyFrom` a second; with 0 none do.
 */
export function createHolds(
  ledger: Client<typeof LedgerService>,
  log: Log,
  metrics: Pick<Metrics, "holds" | "openHolds" | "limitRefusals">,
  busyFrom: number,
): Holds {
  const extender = createHoldExtender(ledger, log);
  const releaser = createHoldReleaser(ledger, log);
  const sharing = createHoldSharing(ledger, extender, releaser, busyFrom);
  const count = (result: "taken" | "shared" | "refused" | "failed") =>
    metrics.holds.inc({ result });
  const countLimit = (limit: LimitName) => metrics.limitRefusals.inc({ limit });
  const parts = { ledger, metrics, extender, countLimit };

  async function takeOwn(request: RequestedHold, demand: AccountDemand): Promise<Hold> {
    const granted = await requestOwn(request);
    return new TakenHold(parts, request, demand, {
      amount: granted.heldNanoUsd,
      extension: extender.begin(request.holdId, granted.expiresInMs),
      walletBalance: granted.walletBalanceNanoUsd,
      rates: granted.rates,
    });
  }

  async function requestOwn(request: RequestedHold): Promise<HoldResponse> {
    const requested = takeFromLedger(ledger, releaser, request);
    requested.catch(() => count("failed"));
    const granted = await requested;
    const { heldNanoUsd: held, refusal } = granted;
    const isRefused = refusal !== undefined || (held === 0n && request.estimateNanoUsd > 0n);
    count(isRefused ? "refused" : "taken");
    if (refusal !== undefined) {
      countLimit(limitNameOf(refusal));
      const whole = request.isWhole ? request.estimateNanoUsd : undefined;
      throw limitExceeded(refusal, { rates: granted.rates, whole });
    }
    if (isRefused) throw walletShort(request, granted);
    return granted;
  }

  return {
    async take(holdId, payer, estimate, { least, isWhole = false, tokens = 0n } = {}) {
      if (estimate === 0n && !payer.isLimited) return emptyHold;
      const { accountId, keyId } = payer;
      const estimateNanoUsd = minOf(estimate, maxBalanceNanoUsd);
      const terms = least === undefined ? { isWhole } : { isWhole, leastNanoUsd: least };
      const request = { holdId, accountId, keyId, estimateNanoUsd, tokens, ...terms };
      const demand = sharing.demandOf(payer);
      const { shared } = demand;
      if (!shared?.reserve({ amount: estimateNanoUsd, tokens })) return takeOwn(request, demand);
      count("shared");
      const { rates } = shared;
      return new TakenHold(parts, request, demand, { amount: estimateNanoUsd, shared, rates });
    },
    async admit(holdId, { accountId, keyId, isLimited }, estimate) {
      if (!isLimited) return;
      const estimateNanoUsd = minOf(estimate, maxBalanceNanoUsd);
      await requestOwn({ holdId, accountId, keyId, estimateNanoUsd, tokens: 0n, isWhole: false });
      releaser.releaseMoney(holdId);
    },
    stopSharing: sharing.stop,
    stop() {
      extender.stop();
      releaser.stop();
    },
  };
}

/** Returns the error of a request for which the wallet has nothing, or less than all, available. */
function walletShort(
  { isWhole, estimateNanoUsd }: RequestedHold,
  { walletBalanceNanoUsd = 0n, walletHeldNanoUsd }: HoldResponse,
): GatewayError {
  const available = walletBalanceNanoUsd - walletHeldNanoUsd;
  if (isWhole && available > 0n) return estimateUnavailable(estimateNanoUsd, available);
  return walletExhausted(walletHeldNanoUsd);
}

async function takeFromLedger(
  ledger: Client<typeof LedgerService>,
  releaser: HoldReleaser,
  request: RequestedHold,
) {
  try {
    return await ledger.hold(request, { timeoutMs: holdTimeoutMs });
  } catch (error) {
    // The ledger may have written the hold although the response was lost. A release makes
    // its money available before it expires.
    releaser.release(request.holdId);
    throw holdFailure(error);
  }
}
