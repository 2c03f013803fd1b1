import { GatewayError, PeerError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { formatUsd, maxBalanceNanoUsd, minOf, type NanoUsd } from "@tollgate/core/money";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type { Client } from "@tollgate/rpc/implementation";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import type { AccountDemand } from "./account-demand.ts";
import { createLiveHolds, type LiveHolds } from "./hold-extender.ts";
import { createGiveBacks, type GiveBacks } from "./hold-releaser.ts";
import { createSharing } from "./hold-sharing.ts";
import type { SharedHold } from "./shared-hold.ts";

const holdTimeoutMs = 5_000;

/** Money that is set aside for one request. */
export interface Hold {
  /** The estimate, or what the wallet had. */
  readonly amount: NanoUsd;
  /**
   * Adds `min(estimate, available)`, and answers how much that was. Raises what taking a hold
   * raises; the hold then stays as it was.
   */
  grow(estimate: NanoUsd): Promise<NanoUsd>;
  /**
   * The request has ended and cost so much, zero when it failed. Answers what its usage event says
   * of the hold. To be called once, and the hold grows no more.
   */
  settle(cost: NanoUsd): SettledHold;
  /** The usage event is safe and has taken the hold over: it is no longer kept from expiring. */
  stopExtending(): void;
}

export type SettledHold = Pick<UsageEvent, "holdId" | "sharedHoldId" | "sharedNanoUsd">;

/** Takes the holds of this process's requests. */
export interface Holds {
  /**
   * Takes a hold of `min(estimate, available)` and keeps it from expiring until it is handed over.
   * What costs nothing needs none, and is served from an empty wallet too. Raises
   * `credit_balance_exhausted` when nothing is free, and `no_provider_available` when the ledger
   * could not write it.
   */
  take(requestId: string, accountId: string, estimate: NanoUsd): Promise<Hold>;
  /** Gives back what no request uses. Never raises. */
  stopSharing(): Promise<void>;
  /** Keeps nothing from expiring any more, and gives nothing back. */
  stop(): void;
}

/** Accounts that begin `busyFrom` requests within a second share holds; with 0 none does. */
export function createHolds(
  ledger: Client<typeof LedgerService>,
  log: Log,
  metrics: Pick<Metrics, "holds" | "openHolds">,
  busyFrom: number,
): Holds {
  const live = createLiveHolds(ledger, log);
  const giveBacks = createGiveBacks(ledger, log);
  const sharing = createSharing(ledger, live, giveBacks, busyFrom);
  const parts = { ledger, metrics, live };
  const count = (result: "taken" | "shared" | "refused" | "failed") =>
    metrics.holds.inc({ result });

  async function takeOwn(request: HoldRequest, demand: AccountDemand): Promise<Hold> {
    const asked = requestHold(ledger, giveBacks, request);
    asked.catch(() => count("failed"));
    const { heldNanoUsd: held, walletHeldNanoUsd, expiresInMs } = await asked;
    count(held === 0n ? "refused" : "taken");
    if (held === 0n) throw walletExhausted(walletHeldNanoUsd);
    live.add(request.holdId, expiresInMs);
    return new LiveHold(parts, request, demand, held);
  }

  return {
    async take(holdId, accountId, estimate) {
      if (estimate === 0n) return nothingHeld;
      const request = { holdId, accountId, estimateNanoUsd: minOf(estimate, maxBalanceNanoUsd) };
      const demand = sharing.account(accountId);
      const { shared } = demand;
      if (!shared?.enter(request.estimateNanoUsd)) return takeOwn(request, demand);
      count("shared");
      return new LiveHold(parts, request, demand, request.estimateNanoUsd, shared);
    },
    stopSharing: sharing.stop,
    stop() {
      live.stop();
      giveBacks.stop();
    },
  };
}

/** Of what costs nothing, however long it goes on. */
const nothingHeld: Hold = {
  amount: 0n,
  grow: async () => 0n,
  settle: () => ({ holdId: "", sharedHoldId: "", sharedNanoUsd: 0n }),
  stopExtending() {},
};

/** Of a request that was charged before and is not again: as much as it asks for, from nobody. */
export function prepaidHold(amount: NanoUsd): Hold {
  return { ...nothingHeld, amount, grow: async (estimate) => estimate };
}

interface HoldRequest {
  holdId: string;
  accountId: string;
  estimateNanoUsd: NanoUsd;
}

interface Parts {
  ledger: Client<typeof LedgerService>;
  metrics: Pick<Metrics, "openHolds">;
  live: LiveHolds;
}

/** A hold of the request's own, or its part of a shared one, or both: what grows is its own. */
class LiveHold implements Hold {
  readonly #parts: Parts;
  readonly #request: HoldRequest;
  readonly #demand: AccountDemand;
  readonly #part: NanoUsd;
  readonly #shared: SharedHold | undefined;
  #amount: NanoUsd;
  #hasOwn: boolean;
  #isHandedOver = false;

  constructor(
    parts: Parts,
    request: HoldRequest,
    demand: AccountDemand,
    amount: NanoUsd,
    shared?: SharedHold,
  ) {
    this.#parts = parts;
    this.#request = request;
    this.#demand = demand;
    this.#part = shared === undefined ? 0n : amount;
    this.#shared = shared;
    this.#amount = amount;
    this.#hasOwn = shared === undefined;
    demand.began(amount);
    parts.metrics.openHolds.inc();
  }

  get amount() {
    return this.#amount;
  }

  async grow(estimate: NanoUsd) {
    const { ledger, live } = this.#parts;
    const { holdId, accountId } = this.#request;
    // Once: each time again would put its extension off.
    if (!this.#hasOwn && this.#shared !== undefined) live.add(holdId, this.#shared.expiresInMs);
    // Named also where the answer is lost: it may have been made.
    this.#hasOwn = true;
    const request = { holdId, accountId, estimateNanoUsd: minOf(estimate, maxBalanceNanoUsd) };
    try {
      const grown = await ledger.growHold(request, { timeoutMs: holdTimeoutMs });
      if (grown.addedNanoUsd === 0n) throw walletExhausted(grown.walletHeldNanoUsd);
      this.#amount += grown.addedNanoUsd;
      this.#demand.grew(grown.addedNanoUsd);
      return grown.addedNanoUsd;
    } catch (error) {
      throw holdFailure(error);
    }
  }

  settle(cost: NanoUsd) {
    this.#demand.ended(this.#amount, cost);
    const shared = this.#shared;
    const taken = shared?.settle(this.#part, cost) ?? 0n;
    return {
      holdId: this.#hasOwn ? this.#request.holdId : "",
      sharedHoldId: taken === 0n || shared === undefined ? "" : shared.id,
      sharedNanoUsd: taken,
    };
  }

  stopExtending() {
    if (this.#isHandedOver) return;
    this.#isHandedOver = true;
    const { live, metrics } = this.#parts;
    metrics.openHolds.dec();
    if (this.#hasOwn) live.remove(this.#request.holdId);
    const shared = this.#shared;
    shared?.leave();
    if (shared?.isLive === false) live.remove(shared.id);
  }
}

async function requestHold(
  ledger: Client<typeof LedgerService>,
  giveBacks: GiveBacks,
  request: HoldRequest,
) {
  try {
    return await ledger.hold(request, { timeoutMs: holdTimeoutMs });
  } catch (error) {
    // The hold may have been written though its answer was lost; given back it helps others sooner
    // than by expiring.
    giveBacks.whole(request.holdId);
    throw holdFailure(error);
  }
}

function holdFailure(error: unknown): unknown {
  if (error instanceof GatewayError && error.code !== "internal_error") return error;
  const reason = error instanceof PeerError ? "cannot be reached" : "cannot take a hold";
  const message = `The ledger ${reason} now, so the request cannot be paid. Retry in a moment.`;
  return new GatewayError("no_provider_available", message, { cause: error });
}

/** The refusal of an empty wallet; it says so when only calls in flight keep the money. */
export function walletExhausted(walletHeld: NanoUsd): GatewayError {
  const message =
    walletHeld === 0n
      ? "The wallet is empty. Top it up to go on."
      : `Nothing in the wallet is free: calls in flight hold ${formatUsd(walletHeld)} USD. ` +
        "Retry when they have ended, or top it up.";
  return new GatewayError("credit_balance_exhausted", message);
}
