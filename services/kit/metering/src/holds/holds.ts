import { GatewayError, PeerError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { formatUsd, maxBalanceNanoUsd, minOf, type NanoUsd } from "@tollgate/core/money";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Client } from "@tollgate/rpc/implementation";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import type { AccountDemand } from "./account-demand.ts";
import { createHoldExtender, type HoldExtender } from "./hold-extender.ts";
import { createHoldReleaser, type HoldReleaser } from "./hold-releaser.ts";
import { createHoldSharing } from "./hold-sharing.ts";
import type { SharedHold } from "./shared-hold.ts";

const holdTimeoutMs = 5_000;

/** Money that is reserved for one request. */
export interface Hold {
  /** The estimate, or less when the wallet had less. */
  readonly amount: NanoUsd;
  /**
   * The wallet's balance when the hold was taken: the hold cannot grow beyond it, unless the wallet
   * is topped up. Undefined where it is unknown: a part of a shared hold is taken without the
   * ledger, from a wallet that has much more.
   */
  readonly walletBalance: NanoUsd | undefined;
  /**
   * Adds `min(estimate, available)`, and resolves with what was added. Throws the errors of
   * `Holds.take`; the hold then stays as it was.
   */
  grow(estimate: NanoUsd): Promise<NanoUsd>;
  /**
   * Ends the request, which cost `cost`: zero when it failed. Returns the fields of its usage event
   * for what is captured from which hold. Call it once; the hold cannot grow afterwards.
   */
  settle(cost: NanoUsd): SettledHold;
  /** Call it when the usage event is durable: its capture ends the hold. Safe to repeat. */
  stopExtending(): void;
}

export type SettledHold = Pick<UsageEvent, "holdId" | "sharedHoldId" | "sharedNanoUsd">;

export interface HoldTerms {
  /**
   * Of a hold that can start small, because it grows: the least that is held, where that much is
   * available, when the wallet is short of money. Default: the estimate.
   */
  least?: NanoUsd | undefined;
  /** Whether `credit_balance_exhausted` is thrown where less than the estimate is available. */
  isWhole?: boolean;
}

/** Takes the holds of this process's requests. */
export interface Holds {
  /**
   * Takes a hold of `min(estimate, available)`, and extends it until `stopExtending`. A request
   * with an estimate of zero needs none, and is served from an empty wallet too. Throws
   * `credit_balance_exhausted` when nothing is available, and `no_provider_available` when the
   * ledger cannot write the hold.
   */
  take(requestId: string, accountId: string, estimate: NanoUsd, terms?: HoldTerms): Promise<Hold>;
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
  metrics: Pick<Metrics, "holds" | "openHolds">,
  busyFrom: number,
): Holds {
  const extender = createHoldExtender(ledger, log);
  const releaser = createHoldReleaser(ledger, log);
  const sharing = createHoldSharing(ledger, extender, releaser, busyFrom);
  const parts = { ledger, metrics, extender };
  const count = (result: "taken" | "shared" | "refused" | "failed") =>
    metrics.holds.inc({ result });

  async function takeOwn(request: HoldRequest, demand: AccountDemand): Promise<Hold> {
    const requested = requestHold(ledger, releaser, request);
    requested.catch(() => count("failed"));
    const { heldNanoUsd: held, walletHeldNanoUsd, expiresInMs, ...wallet } = await requested;
    count(held === 0n ? "refused" : "taken");
    if (held === 0n) {
      const available = (wallet.walletBalanceNanoUsd ?? 0n) - walletHeldNanoUsd;
      if (request.isWhole && available > 0n) {
        throw estimateUnavailable(request.estimateNanoUsd, available);
      }
      throw walletExhausted(walletHeldNanoUsd);
    }
    extender.add(request.holdId, expiresInMs);
    return new RequestHold(parts, request, demand, held, wallet.walletBalanceNanoUsd);
  }

  return {
    async take(holdId, accountId, estimate, { least, isWhole = false } = {}) {
      if (estimate === 0n) return emptyHold;
      const estimateNanoUsd = minOf(estimate, maxBalanceNanoUsd);
      const terms = least === undefined ? { isWhole } : { isWhole, leastNanoUsd: least };
      const request = { holdId, accountId, estimateNanoUsd, ...terms };
      const demand = sharing.account(accountId);
      const { shared } = demand;
      if (!shared?.reserve(request.estimateNanoUsd)) return takeOwn(request, demand);
      count("shared");
      return new RequestHold(parts, request, demand, estimateNanoUsd, undefined, shared);
    },
    stopSharing: sharing.stop,
    stop() {
      extender.stop();
      releaser.stop();
    },
  };
}

/** The hold of a request that costs nothing. */
const emptyHold: Hold = {
  amount: 0n,
  walletBalance: undefined,
  grow: async () => 0n,
  settle: () => ({ holdId: "", sharedHoldId: "", sharedNanoUsd: 0n }),
  stopExtending() {},
};

/** Returns a hold for a request that an earlier run has paid: it takes nothing from the wallet. */
export function prepaidHold(amount: NanoUsd): Hold {
  return { ...emptyHold, amount, grow: async (estimate) => estimate };
}

interface HoldRequest {
  holdId: string;
  accountId: string;
  estimateNanoUsd: NanoUsd;
  leastNanoUsd?: NanoUsd;
  isWhole: boolean;
}

interface Parts {
  ledger: Client<typeof LedgerService>;
  metrics: Pick<Metrics, "holds" | "openHolds">;
  extender: HoldExtender;
}

/**
 * The hold of one request: a part of a shared hold, or a hold of its own. A request with a part
 * takes a hold of its own for what it adds.
 */
class RequestHold implements Hold {
  readonly walletBalance: NanoUsd | undefined;
  readonly #parts: Parts;
  readonly #request: HoldRequest;
  readonly #demand: AccountDemand;
  readonly #part: NanoUsd;
  readonly #shared: SharedHold | undefined;
  #amount: NanoUsd;
  #hasOwn: boolean;
  #isExtended = true;

  constructor(
    parts: Parts,
    request: HoldRequest,
    demand: AccountDemand,
    amount: NanoUsd,
    walletBalance: NanoUsd | undefined,
    shared?: SharedHold,
  ) {
    this.walletBalance = walletBalance;
    this.#parts = parts;
    this.#request = request;
    this.#demand = demand;
    this.#part = shared === undefined ? 0n : amount;
    this.#shared = shared;
    this.#amount = amount;
    this.#hasOwn = shared === undefined;
    demand.beginRequest(amount);
    parts.metrics.openHolds.inc();
  }

  get amount() {
    return this.#amount;
  }

  async grow(estimate: NanoUsd) {
    const { ledger, metrics, extender } = this.#parts;
    const { holdId, accountId } = this.#request;
    // Only once: adding it again would postpone its next extension.
    if (!this.#hasOwn && this.#shared !== undefined) {
      extender.add(holdId, this.#shared.expiresInMs);
    }
    // Set before the call: when its response is lost, the hold may exist.
    this.#hasOwn = true;
    const request = { holdId, accountId, estimateNanoUsd: minOf(estimate, maxBalanceNanoUsd) };
    try {
      const grown = await ledger.growHold(request, { timeoutMs: holdTimeoutMs });
      if (grown.addedNanoUsd === 0n) {
        metrics.holds.inc({ result: "grow_refused" });
        throw walletExhausted(grown.walletHeldNanoUsd, this.#amount);
      }
      this.#amount += grown.addedNanoUsd;
      this.#demand.addHeld(grown.addedNanoUsd);
      return grown.addedNanoUsd;
    } catch (error) {
      throw holdFailure(error);
    }
  }

  settle(cost: NanoUsd) {
    this.#demand.endRequest(this.#amount, cost);
    const shared = this.#shared;
    const taken = shared?.settle(this.#part, cost) ?? 0n;
    return {
      holdId: this.#hasOwn ? this.#request.holdId : "",
      sharedHoldId: taken === 0n || shared === undefined ? "" : shared.id,
      sharedNanoUsd: taken,
    };
  }

  stopExtending() {
    if (!this.#isExtended) return;
    this.#isExtended = false;
    const { extender, metrics } = this.#parts;
    metrics.openHolds.dec();
    if (this.#hasOwn) extender.remove(this.#request.holdId);
    const shared = this.#shared;
    shared?.removeRequest();
    if (shared?.isInUse === false) extender.remove(shared.id);
  }
}

async function requestHold(
  ledger: Client<typeof LedgerService>,
  releaser: HoldReleaser,
  request: HoldRequest,
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

function holdFailure(error: unknown): unknown {
  if (error instanceof GatewayError && error.code !== "internal_error") return error;
  const reason = error instanceof PeerError ? "cannot be reached" : "cannot take a hold";
  const message = `The ledger ${reason} now, so the request cannot be paid. Retry in a moment.`;
  return new GatewayError("no_provider_available", message, { cause: error });
}

/** Returns the error of a request whose complete estimate must be available, and is not. */
function estimateUnavailable(estimate: NanoUsd, available: NanoUsd): GatewayError {
  const message =
    `This request may cost up to ${formatUsd(estimate)} USD, and the wallet has ` +
    `${formatUsd(available)} USD available. The account's admission policy is "whole": send a ` +
    "smaller request or a lower output limit, retry when calls in flight have ended, or top the " +
    "wallet up.";
  return new GatewayError("credit_balance_exhausted", message);
}

/**
 * Returns the error of a wallet with nothing available. Its message says what holds the money: the
 * request itself, which holds `own`, or other calls.
 */
export function walletExhausted(walletHeld: NanoUsd, own: NanoUsd = 0n): GatewayError {
  return new GatewayError("credit_balance_exhausted", exhaustedMessage(walletHeld, own));
}

function exhaustedMessage(walletHeld: NanoUsd, own: NanoUsd): string {
  if (walletHeld === 0n) return "The wallet is empty. Top it up to continue.";
  const nothing = "Nothing in the wallet is available:";
  const retry = "Retry when they have ended, or top it up.";
  if (own === 0n) return `${nothing} calls in flight hold ${formatUsd(walletHeld)} USD. ${retry}`;
  const itself = `the hold of this request itself reserves ${formatUsd(own)} USD`;
  if (own >= walletHeld) return `${nothing} ${itself}. Top it up to continue.`;
  const others = `other calls in flight hold ${formatUsd(walletHeld - own)} USD`;
  return `${nothing} ${itself}, and ${others}. ${retry}`;
}
