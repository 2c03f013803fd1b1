import type { Model, Slot } from "@tollgate/catalog/model";
import type { Log } from "@tollgate/core/log";
import type { LoadBalancer } from "./balance/load-balancer.ts";
import type { SlotUse } from "./balance/slot-load.ts";
import { type Breakers, type CallPermit, type Denial, isDenied } from "./breaker/breaker.ts";
import { chainFailure, type FailedOutcome, SlotFailure } from "./failure.ts";
import type { ProviderClient } from "./provider-client.ts";
import { canRepeat, repeatPauses } from "./repeated-call.ts";

export interface ChainOptions {
  breakers: Breakers;
  balancer: LoadBalancer;
  /** The account that makes the request. */
  accountId: string;
  log: Log;
  /** Hides the credentials of a slot's provider in what it says. */
  redact: ProviderClient["redact"];
  /** Requests with the same affinity are sent to the same slot while it works. */
  affinity?: string | undefined;
  /** The tokens that the request is likely to use, for the limits of slots. Default: 0. */
  tokens?: number | undefined;
  /** Whether the request costs nothing. The limits of slots do not apply to it then. */
  isFree?: boolean;
  /** Whether `attempt` reads the whole response. A call that fails may then be retried. */
  isWhole?: boolean;
  /** Ends the pause before a retry. */
  signal?: AbortSignal | undefined;
  /** Called with the outcome of each attempt. */
  onAttempt?(slot: Slot, outcome: AttemptOutcome): void;
  /** Called for each slot that was not attempted. */
  onPassedOver?(slot: Slot, reason: PassReason): void;
  /** Receives the counted call of the slot that served, and must end it. Without it, `walkChain` ends it. */
  keepUse?(use: SlotUse): void;
}

/** A chain, how its slots share requests, and whether they fall back by context length. */
export type WalkedChain = Pick<Model, "chain" | "balance" | "fallsBackByContext">;

export type AttemptOutcome = "served" | "abandoned" | FailedOutcome;

/**
 * Why a slot was not attempted. `full`: it has reached a limit of its own. `context_length`: the prompt was
 * too long for a slot whose context is as large. `refused`: a slot before it has refused the request as invalid, or
 * its response is too large, as it would be at every slot.
 */
export type PassReason = Denial | "full" | "context_length" | "refused";

/** The slot that served a call, and its response. */
export interface Served<Response> {
  slot: Slot;
  response: Response;
}

/** Attempts a slot. Throws a SlotFailure where it does not serve the request. */
type Attempt<Response> = (slot: Slot) => Promise<Response>;

/**
 * Attempts the slots in order until one serves the request. `attempt` throws a SlotFailure when its
 * slot does not serve it; `attempt` may then be called for the next slot, so it must not have sent the
 * client anything. Throws what `chainFailure` returns when no slot serves, and any other error that
 * `attempt` throws.
 */
export function walkChain<Response>(
  model: WalkedChain,
  attempt: Attempt<Response>,
  options: ChainOptions,
): Promise<Served<Response>> {
  const walk = new ChainWalk(attempt, options);
  const [first] = model.chain;
  // Most chains: with nothing to choose, one asynchronous call instead of three.
  if (first !== undefined && model.chain.length === 1 && isPlain(first)) {
    return walk.serveOnly(first);
  }
  return walkEach(model, walk, options);
}

/** Whether a slot has no limits, no retries and no pool of keys. */
function isPlain({ limits, retries, keySlots }: Slot): boolean {
  return limits === undefined && retries === undefined && keySlots === undefined;
}

async function walkEach<Response>(
  model: WalkedChain,
  walk: ChainWalk<Response>,
  options: ChainOptions,
): Promise<Served<Response>> {
  let isRefused = false;
  for (const slot of options.balancer.order(model, options.affinity)) {
    if (isRefused) {
      options.onPassedOver?.(slot, "refused");
      continue;
    }
    if (model.fallsBackByContext && walk.isTooShort(slot)) continue;
    const outcome = await (slot.keySlots === undefined
      ? walk.callWithRetries(slot)
      : walk.callWithKeys(slot));
    if (outcome === undefined) continue;
    if (!(outcome instanceof SlotFailure)) return outcome;
    isRefused = !outcome.passesOn;
  }
  throw walk.failure();
}

/** The attempts of one request: its failures, and the slots that it has passed over. */
class ChainWalk<Response> {
  readonly #attempt: Attempt<Response>;
  readonly #options: ChainOptions;
  readonly #failures: SlotFailure[] = [];
  /** Why a slot was passed over last. */
  #passReason: PassReason | undefined;
  /** The shortest time after which a slot that was passed over may serve. */
  #waitMs: number | undefined;
  /** The largest context for which the prompt was too long. */
  #refusedContext = 0;

  constructor(attempt: Attempt<Response>, options: ChainOptions) {
    this.#attempt = attempt;
    this.#options = options;
  }

  /** Returns whether the prompt was too long for a slot with at least the context of this one. */
  isTooShort(slot: Slot): boolean {
    if (this.#refusedContext === 0) return false;
    const isTooShort = (slot.contextTokens ?? 0) <= this.#refusedContext;
    if (isTooShort) this.#options.onPassedOver?.(slot, "context_length");
    return isTooShort;
  }

  /** Calls a slot as `#call` does, and retries as the slot allows. */
  callWithRetries(slot: Slot): Promise<Served<Response> | SlotFailure | undefined> {
    return slot.retries === undefined ? this.#call(slot) : this.#retry(slot);
  }

  /**
   * Calls a slot with the keys of its provider, one after the other, until a key is neither limited nor refused.
   * Resolves with the response, with the last failure, or with undefined if no call was admitted.
   */
  async callWithKeys(slot: Slot): Promise<Served<Response> | SlotFailure | undefined> {
    const { balancer, affinity } = this.#options;
    let failure: SlotFailure | undefined;
    for (const one of balancer.orderKeys(slot, affinity)) {
      const outcome = await this.callWithRetries(one);
      if (outcome === undefined) {
        if (this.#passReason !== "cools" && this.#passReason !== "key_refused") break;
        continue;
      }
      if (!(outcome instanceof SlotFailure)) return outcome;
      failure = outcome;
      if (outcome.meaning !== "rate" && outcome.meaning !== "key_or_bill") break;
    }
    return failure;
  }

  async #retry(slot: Slot): Promise<Served<Response> | SlotFailure | undefined> {
    const { isWhole, signal } = this.#options;
    let outcome = await this.#call(slot);
    const pauses = repeatPauses(signal);
    for (let left = isWhole ? (slot.retries ?? 0) : 0; left > 0; left -= 1) {
      if (!(outcome instanceof SlotFailure) || !canRepeat(outcome)) return outcome;
      await pauses.next().catch((error: unknown) => {
        throw signal?.aborted ? signal.reason : error;
      });
      outcome = (await this.#call(slot)) ?? outcome;
    }
    return outcome;
  }

  /**
   * Calls a slot. Resolves with its response or its failure, and with undefined if the call is not admitted.
   * Rejects with any other error.
   */
  async #call(slot: Slot): Promise<Served<Response> | SlotFailure | undefined> {
    const permit = this.#admit(slot);
    if (permit === undefined) return undefined;
    const use = slot.limits === undefined ? undefined : await this.#take(slot);
    if (typeof use === "number") {
      const { breakers, accountId } = this.#options;
      breakers.abandoned(slot, accountId, permit);
      this.#passOver(slot, "full", use);
      return undefined;
    }
    try {
      const response = await this.#attempt(slot);
      this.#succeeded(slot, permit);
      if (use !== undefined) this.#keep(use);
      return { slot, response };
    } catch (error) {
      // What a provider has refused used no tokens.
      const isRefused = error instanceof SlotFailure && error.status !== undefined;
      use?.end(isRefused ? 0 : undefined);
      return this.#failed(slot, permit, error);
    }
  }

  /** Calls the only slot of a chain. Throws as `walkChain` does. */
  async serveOnly(slot: Slot): Promise<Served<Response>> {
    const permit = this.#admit(slot);
    if (permit === undefined) throw this.failure();
    try {
      const response = await this.#attempt(slot);
      this.#succeeded(slot, permit);
      return { slot, response };
    } catch (error) {
      this.#failed(slot, permit, error);
      throw this.failure();
    }
  }

  /** Returns undefined if the slot may not be called now. */
  #admit(slot: Slot): CallPermit | undefined {
    const { breakers, accountId } = this.#options;
    const permit = breakers.admit(slot, accountId);
    if (!isDenied(permit)) return permit;
    this.#passOver(slot, permit, breakers.coolsForMs(slot, accountId));
    return undefined;
  }

  #succeeded(slot: Slot, permit: CallPermit): void {
    const { breakers, accountId, onAttempt } = this.#options;
    breakers.succeeded(slot, accountId, permit);
    onAttempt?.(slot, "served");
  }

  /** Records how a call failed, and returns its failure. Throws any other error. */
  #failed(slot: Slot, permit: CallPermit, error: unknown): SlotFailure {
    const { breakers, accountId, onAttempt } = this.#options;
    if (!(error instanceof SlotFailure)) {
      breakers.abandoned(slot, accountId, permit);
      onAttempt?.(slot, "abandoned");
      throw error;
    }
    this.#recordFailure(slot, error);
    breakers.failed(slot, accountId, permit, error);
    return error;
  }

  /** Returns the error of a request that no slot has served. */
  failure(): Error {
    return chainFailure(this.#failures, this.#waitMs);
  }

  async #take(slot: Slot): Promise<SlotUse | number | undefined> {
    const { balancer, accountId, tokens = 0, isFree } = this.#options;
    return isFree ? undefined : balancer.take(slot, { accountId, tokens });
  }

  #passOver(slot: Slot, reason: PassReason, waitMs: number | undefined): void {
    if (waitMs !== undefined) this.#waitMs = Math.min(waitMs, this.#waitMs ?? waitMs);
    this.#passReason = reason;
    this.#options.onPassedOver?.(slot, reason);
  }

  #keep(use: SlotUse): void {
    use.respond();
    const { keepUse } = this.#options;
    if (keepUse === undefined) use.end();
    else keepUse(use);
  }

  #recordFailure(slot: Slot, failure: SlotFailure): void {
    const { log, redact, onAttempt } = this.#options;
    failure.redactMessages((text) => redact(slot, text));
    const { outcome, status, message, said } = failure;
    onAttempt?.(slot, outcome);
    log.warn({ slot: slot.id, outcome, status, reason: message, said }, "slot failed");
    this.#failures.push(failure);
    if (failure.isTooLong) {
      this.#refusedContext = Math.max(this.#refusedContext, slot.contextTokens ?? 0);
    }
  }
}
