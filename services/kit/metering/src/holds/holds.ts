import type { Model } from "@tollgate/catalog/model";
import type { GatewayError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { maxBalanceNanoUsd, minOf, type NanoUsd } from "@tollgate/core/money";
import type {
  HoldResponse,
  KeepHoldRequest,
  KeepHoldResponse,
  LedgerService,
} from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import type { RunningRequests } from "../outbox/running-requests.ts";
import { modelFields } from "../usage-event-fields.ts";
import type { AccountDemand } from "./account-demand.ts";
import { emptyHold, type Hold } from "./hold.ts";
import { createHoldExtender } from "./hold-extender.ts";
import { createHoldReleaser, type HoldReleaser } from "./hold-releaser.ts";
import { createHoldSharing, type Payer } from "./hold-sharing.ts";
import {
  jobAdvice,
  type LimitName,
  limitExceeded,
  limitNameOf,
  wholeAdvice,
} from "./limit-refusal.ts";
import { holdTimeoutMs, type RequestedHold, TakenHold } from "./taken-hold.ts";
import {
  estimateUnavailable,
  holdFailure,
  walletExhausted,
  walletTooShort,
} from "./wallet-refusal.ts";

export interface HoldTerms {
  /**
   * Of a hold that can start small, because it grows: the least that is held, where that much is
   * available, when the wallet is short of money. Default: the estimate.
   */
  least?: NanoUsd | undefined;
  /**
   * Less than this is held only where nothing else of the wallet or the budget is held: the request costs
   * more than that, and only the last one of a wallet may. Default: the estimate.
   */
  aloneBelow?: NanoUsd | undefined;
  /** Whether `credit_balance_exhausted` is thrown where less than the estimate is available. */
  isWhole?: boolean;
  /** The tokens that the request is likely to use, for a limit of tokens per minute. Default: 0. */
  tokens?: bigint | undefined;
  /**
   * Whether the hold stays with a job: `keep` follows. It is never a part of a shared hold, and the
   * budgets must have all of the estimate left, since nothing limits what the job will cost.
   */
  isJob?: boolean;
  /** The model of the request, for its entry if this process dies. Default: it gets none. */
  model?: Model | undefined;
}

/** The hold of a job, and what it must have: the fields of the ledger's `KeepHoldRequest`. */
export type JobHoldRequest = Omit<KeepHoldRequest, "$typeName">;

/** Takes the holds of this process's requests. */
export interface Holds {
  /**
   * Takes a hold of `min(estimate, available)`, and extends it until `stopExtending`. A request
   * with an estimate of zero needs none unless its payer has limits, and is served from an empty
   * wallet too. Throws `credit_balance_exhausted` when nothing is available of the wallet or of a
   * budget, or too little while other requests hold the rest, `rate_limited` when another limit is reached, and `no_provider_available` when the ledger
   * cannot write the hold.
   */
  take(requestId: string, payer: Payer, estimate: NanoUsd, terms?: HoldTerms): Promise<Hold>;
  /**
   * Makes a request's hold that of its job, or creates it again. Throws `no_provider_available` when
   * the ledger cannot write it.
   */
  keep(kept: JobHoldRequest): Promise<KeepHoldResponse>;
  /**
   * Releases a hold that no usage event captures; its request still counts against its key's rate.
   * Throws when the ledger cannot.
   */
  release(holdId: string): Promise<void>;
  /** Does the same without waiting, and retries until that succeeds or the hold expires. */
  abandon(holdId: string): void;
  /** Stops sharing holds, and releases what no request uses. Never rejects. */
  stopSharing(): Promise<void>;
  /** Stops extending and releasing holds. */
  stop(): void;
}

export interface HoldParts {
  ledger: Client<typeof LedgerService>;
  log: Log;
  metrics: Pick<Metrics, "holds" | "openHolds" | "limitRefusals">;
  /** The requests that only this process knows, because they have a part of a shared hold. */
  runningRequests: Pick<RunningRequests, "begin" | "end">;
  /** The requests of an account share holds when it begins so many a second. 0: none do. */
  busyFrom: number;
}

/**
 * Creates the holds of this process.
 *
 * Longer than 70 lines: its functions share the parts of one process.
 */
export function createHolds({ ledger, log, metrics, runningRequests, busyFrom }: HoldParts): Holds {
  const extender = createHoldExtender(ledger, log);
  const releaser = createHoldReleaser(ledger, log);
  const sharing = createHoldSharing(ledger, extender, releaser, busyFrom);
  const count = (result: "taken" | "shared" | "refused" | "failed") =>
    metrics.holds.inc({ result });
  const countLimit = (limit: LimitName) => metrics.limitRefusals.inc({ limit });
  const parts = { ledger, metrics, extender, releaser, runningRequests, countLimit };

  async function takeOwn(request: RequestedHold, demand: AccountDemand, isLimited: boolean) {
    const granted = await requestOwn(request);
    return new TakenHold(parts, request, demand, {
      isLimited,
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
      throw limitExceeded(refusal, { rates: granted.rates, needed: neededOf(request) });
    }
    if (isRefused) throw walletShort(request, granted);
    return granted;
  }

  return {
    async take(holdId, payer, estimate, terms = {}) {
      const { least, aloneBelow = estimate, isWhole = false, tokens = 0n } = terms;
      const { isJob = false, model } = terms;
      if (estimate === 0n && !payer.isLimited) return emptyHold;
      const { accountId, keyId, endUser = "" } = payer;
      const estimateNanoUsd = minOf(estimate, maxBalanceNanoUsd);
      const start = least === undefined ? {} : { leastNanoUsd: least };
      const aloneBelowNanoUsd = minOf(aloneBelow, maxBalanceNanoUsd);
      const needs = { isWhole, needsBudget: isJob, aloneBelowNanoUsd, ...start };
      const lost = model === undefined ? noModel : modelFields(model);
      const ids = { accountId, keyId, endUser };
      const request = { holdId, ...ids, estimateNanoUsd, tokens, ...needs, ...lost };
      const demand = sharing.demandOf(payer);
      const shared = isJob ? undefined : demand.shared;
      const isShared = shared?.reserve({ amount: estimateNanoUsd, tokens }) === true;
      if (!isShared) return takeOwn(request, demand, payer.isLimited);
      count("shared");
      const { rates, isLimited } = shared;
      const amount = estimateNanoUsd;
      const fields = { requestId: holdId, ...ids, ...lost };
      const running = model === undefined ? undefined : runningRequests.begin(fields);
      return new TakenHold(parts, request, demand, { amount, isLimited, shared, running, rates });
    },
    async keep(kept) {
      try {
        return await ledger.keepHold(kept, { timeoutMs: holdTimeoutMs });
      } catch (error) {
        throw holdFailure(error);
      }
    },
    async release(holdId) {
      await ledger.releaseHold({ holdId, keepsRequest: true }, { timeoutMs: holdTimeoutMs });
    },
    abandon: (holdId) => releaser.releaseMoney(holdId),
    stopSharing: sharing.stop,
    stop() {
      extender.stop();
      releaser.stop();
    },
  };
}

const noModel = { alias: "", routeType: "", unitType: "", plan: "" };

function neededOf({ isWhole, needsBudget, estimateNanoUsd }: RequestedHold) {
  if (needsBudget) return { estimate: estimateNanoUsd, advice: jobAdvice };
  return isWhole ? { estimate: estimateNanoUsd, advice: wholeAdvice } : undefined;
}

/** Returns the error of a request for which the wallet has nothing, or too little, available. */
function walletShort(
  { isWhole, estimateNanoUsd, aloneBelowNanoUsd }: RequestedHold,
  { walletBalanceNanoUsd = 0n, walletHeldNanoUsd }: HoldResponse,
): GatewayError {
  const available = walletBalanceNanoUsd - walletHeldNanoUsd;
  if (available <= 0n) return walletExhausted(walletHeldNanoUsd);
  if (isWhole) return estimateUnavailable(estimateNanoUsd, available);
  return walletTooShort(aloneBelowNanoUsd, available, walletHeldNanoUsd);
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
