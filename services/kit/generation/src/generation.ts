import type { Model, Slot } from "@tollgate/catalog/model";
import type { Cancellable, LeaveWatcher } from "@tollgate/core/cancellation";
import type { NanoUsd } from "@tollgate/core/money";
import type { Rates } from "@tollgate/core/rates";
import type { Measurement } from "@tollgate/metering/measurement";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import type { Served } from "@tollgate/upstream/chain";

/** A request that costs money, and what is held for it. */
export interface BillableCall {
  caller: Caller | undefined;
  model: Model;
  /** This amount is held before a provider is called. */
  estimate: NanoUsd;
  /** See `HoldTerms.least`. */
  least?: NanoUsd | undefined;
  /** See `HoldTerms.aloneBelow`. */
  aloneBelow?: NanoUsd | undefined;
  /** Whether the whole estimate must be available, whatever the account's policy. Default: not. */
  isWhole?: boolean | undefined;
  /** The tokens that it is likely to use, for limits of tokens per minute. Default: 0. */
  tokens?: bigint | undefined;
  /** Calls of the account with the same affinity are sent to the same slot while it works. */
  affinity?: string | undefined;
  /** The conversation that the ledger links the charge to. */
  conversationId?: string | undefined;
  /** Slots of the alias that are not in the model's chain, because they cannot be sent the request. */
  unable?: readonly Slot[] | undefined;
  /**
   * Cancels the call. An attempt that has begun still runs to its end when the caller leaves, because a
   * client must not pay less by leaving. No other slot is attempted then, and the call no longer counts
   * as a request in progress. It ends at the latest with the gateway's grace period. Undefined: the
   * attempts use a signal of their own.
   */
  cancellation?: Cancellable | undefined;
}

/**
 * A billable call in progress, with its hold. `callerLeft` takes the call off those in progress; see
 * `BillableCall.cancellation`.
 */
export interface Generation extends LeaveWatcher {
  /** The amount held: the estimate, or less where the wallet has less available. */
  readonly held: NanoUsd;
  /** See `Hold.walletBalance`. */
  readonly walletBalance: NanoUsd | undefined;
  /** See `Hold.rates`. */
  readonly rates: Rates | undefined;
  /**
   * Adds to the hold during the call. Returns the amount added: the estimate, or less where the
   * wallet has less available. Throws `credit_balance_exhausted` where it has nothing available.
   */
  grow(estimate: NanoUsd): Promise<NanoUsd>;
  /** Attempts the slots of the model's chain; see `walkChain`. */
  attempt<Response>(call: (slot: Slot) => Promise<Response>): Promise<Served<Response>>;
  /**
   * Does the same for a response in chunks. Resolves once the first chunk has arrived, so that a
   * slot which sends none counts as failed, and the next one is attempted.
   */
  attemptStream<Opened extends { chunks: AsyncIterable<unknown> }>(
    open: (slot: Slot) => Promise<Opened>,
  ): Promise<Served<Opened>>;
  /** Records the ids of the response to the attempt in progress, or to the one that served. */
  identify(ids: ResponseIds): void;
  /** Sets what is billed where the call ends before it is settled. Nothing is by default. */
  billPartial(measure: MeasurePartial): void;
  /**
   * Records the usage of the complete response. Resolves with its charge and what settles it, for a
   * route that must know the charge before the response is billed.
   */
  measured(slot: Slot, usage: Measurement): Promise<MeasuredResponse>;
  /** Measures and settles the complete response in one step. Resolves as `settle` of it does. */
  settle(slot: Slot, usage: Measurement): Promise<NanoUsd>;
}

/** The ids in the body of a response. Empty where there is none. */
export interface ResponseIds {
  /** As the provider sent it. */
  provider: string;
  /** As the client is sent it. */
  client: string;
}

/**
 * Returns what is billed for a call that ended before it was settled; undefined if nothing is. Called
 * once, with the error that ended the call, if there is one.
 */
export type MeasurePartial = (
  failure: unknown,
) => Promise<Served<Measurement> | undefined> | Served<Measurement> | undefined;

/** A complete response with its charge. It is billed only once it is settled. */
export interface MeasuredResponse {
  /** The expected charge. */
  readonly charge: NanoUsd;
  /**
   * Publishes the usage event. Resolves once the event is durable, with the cost that the response
   * reports on routes that report one. Throws when it is called again.
   */
  settle(): Promise<NanoUsd>;
}
