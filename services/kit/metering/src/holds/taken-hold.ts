import { maxBalanceNanoUsd, minOf, type NanoUsd } from "@tollgate/core/money";
import type { Rates } from "@tollgate/core/rates";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { Client } from "@tollgate/rpc/implementation";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import type { RunningRequest, RunningRequests } from "../outbox/running-requests.ts";
import type { AccountDemand } from "./account-demand.ts";
import type { Hold, SettledHold } from "./hold.ts";
import type { Extension, HoldExtender } from "./hold-extender.ts";
import type { HoldReleaser } from "./hold-releaser.ts";
import { type LimitName, limitExceeded, limitNameOf } from "./limit-refusal.ts";
import type { HoldPart, SharedHold } from "./shared-hold.ts";
import { holdFailure, walletExhausted } from "./wallet-refusal.ts";

export const holdTimeoutMs = 5_000;

/** What one billable request needs to hold: the fields of the ledger's `HoldRequest`. */
export interface RequestedHold {
  holdId: string;
  accountId: string;
  keyId: string;
  endUser: string;
  estimateNanoUsd: NanoUsd;
  tokens: bigint;
  /** See `HoldTerms.least`. */
  leastNanoUsd?: NanoUsd;
  /** See `HoldTerms.aloneBelow`. */
  aloneBelowNanoUsd: NanoUsd;
  /** See `HoldTerms.isWhole`. */
  isWhole: boolean;
  /** See `HoldTerms.isJob`. */
  needsBudget: boolean;
  /** See `HoldTerms.model`. */
  alias: string;
  routeType: string;
  unitType: string;
}

export interface HoldDependencies {
  ledger: Client<typeof LedgerService>;
  metrics: Pick<Metrics, "holds" | "openHolds">;
  extender: HoldExtender;
  releaser: Pick<HoldReleaser, "releasePlace">;
  runningRequests: Pick<RunningRequests, "end">;
  countLimit(limit: LimitName): void;
}

/** What a request holds at its start. */
interface Grant {
  amount: NanoUsd;
  rates: Rates | undefined;
  walletBalance?: NanoUsd | undefined;
  /** Whether the request counts against limits, as one in progress. */
  isLimited: boolean;
  /** The shared hold that all of it is a part of, or else the extension of a hold of its own. */
  shared?: SharedHold;
  /** Of a request with such a part: what ends once its usage event is durable. */
  running?: RunningRequest | undefined;
  extension?: Extension;
}

/**
 * The hold of one request: a part of a shared hold, or a hold of its own. A request with a part
 * takes a hold of its own for what it adds.
 */
export class TakenHold implements Hold {
  readonly walletBalance: NanoUsd | undefined;
  readonly rates: Rates | undefined;
  readonly #parts: HoldDependencies;
  readonly #request: RequestedHold;
  readonly #demand: AccountDemand;
  readonly #part: HoldPart;
  readonly #shared: SharedHold | undefined;
  readonly #running: RunningRequest | undefined;
  readonly #isLimited: boolean;
  #hasLeft = false;
  #amount: NanoUsd;
  /** That of the hold of its own, if it has one. */
  #extension: Extension | undefined;
  #isExtended = true;

  constructor(
    parts: HoldDependencies,
    request: RequestedHold,
    demand: AccountDemand,
    grant: Grant,
  ) {
    const { amount, walletBalance, rates, isLimited, shared, running, extension } = grant;
    this.walletBalance = walletBalance;
    this.rates = rates;
    this.#parts = parts;
    this.#request = request;
    this.#demand = demand;
    this.#part = { amount, tokens: request.tokens };
    this.#shared = shared;
    this.#running = running;
    this.#isLimited = isLimited;
    this.#amount = amount;
    this.#extension = extension;
    demand.beginRequest(amount, request.tokens);
    parts.metrics.openHolds.inc();
  }

  get amount() {
    return this.#amount;
  }

  async grow(estimate: NanoUsd) {
    const { ledger, metrics, extender, countLimit } = this.#parts;
    const { holdId, accountId, keyId, endUser } = this.#request;
    // Before the call: when its response is lost, the hold may exist.
    if (this.#shared !== undefined) {
      this.#extension ??= extender.begin(holdId, this.#shared.expiresInMs);
    }
    const estimateNanoUsd = minOf(estimate, maxBalanceNanoUsd);
    const isCounted = this.#shared?.isLimited === true || this.#hasLeft;
    const request = { holdId, accountId, keyId, endUser, estimateNanoUsd, isCounted };
    try {
      const grown = await ledger.growHold(request, { timeoutMs: holdTimeoutMs });
      if (grown.addedNanoUsd === 0n) metrics.holds.inc({ result: "grow_refused" });
      if (grown.refusal !== undefined) {
        countLimit(limitNameOf(grown.refusal));
        throw limitExceeded(grown.refusal);
      }
      if (grown.addedNanoUsd === 0n) {
        throw walletExhausted(grown.walletHeldNanoUsd, this.#amount);
      }
      this.#amount += grown.addedNanoUsd;
      this.#demand.addHeld(grown.addedNanoUsd);
      return grown.addedNanoUsd;
    } catch (error) {
      throw holdFailure(error);
    }
  }

  leave() {
    if (this.#hasLeft || !this.#isLimited) return;
    this.#hasLeft = true;
    const shared = this.#shared;
    if (shared === undefined) this.#parts.releaser.releasePlace(this.#request.holdId);
    else if (!shared.returnPlace()) this.#parts.releaser.releasePlace(shared.id);
  }

  settle(cost: NanoUsd, tokens: bigint): SettledHold {
    const part = { ...this.#part, inProgress: this.#isLimited && !this.#hasLeft ? 1 : 0 };
    const shared = this.#shared;
    this.#demand.endRequest(this.#amount, cost, part.tokens, tokens);
    const taken = shared?.settle(part, { amount: cost, tokens }) ?? nothingTaken;
    const takesAny = taken.amount > 0n || taken.tokens > 0n || taken.inProgress > 0;
    return {
      holdId: this.#extension === undefined ? "" : this.#request.holdId,
      sharedHoldId: takesAny && shared !== undefined ? shared.id : "",
      sharedNanoUsd: taken.amount,
      sharedTokens: taken.tokens,
      sharedInProgress: taken.inProgress,
    };
  }

  stopExtending() {
    if (!this.#isExtended) return;
    this.#isExtended = false;
    const { extender, metrics, runningRequests } = this.#parts;
    metrics.openHolds.dec();
    if (this.#running !== undefined) runningRequests.end(this.#running);
    if (this.#extension !== undefined) extender.end(this.#extension);
    const shared = this.#shared;
    shared?.removeRequest();
    if (shared?.isInUse === false) extender.end(shared.extension);
  }
}

const nothingTaken = { amount: 0n, tokens: 0n, inProgress: 0 };
