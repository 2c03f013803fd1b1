import type { Model, Slot } from "@tollgate/catalog/model";
import { callerLeftError, type LeaveWatcher } from "@tollgate/core/cancellation";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import type { Breakers } from "@tollgate/upstream/breaker";
import { type ChainOptions, type Served, walkChain } from "@tollgate/upstream/chain";
import type { LoadBalancer } from "@tollgate/upstream/load-balancer";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import { withAttempt } from "@tollgate/upstream/traced-requests";
import { AttemptRecord } from "./attempt-record.ts";
import { readToFirst } from "./first-chunk.ts";
import type { BillableCall } from "./generation.ts";
import type { Reporting } from "./reporting.ts";

export interface AttemptDependencies extends Reporting {
  breakers: Breakers;
  balancer: LoadBalancer;
  /** See `ProviderClient.redact`. */
  redact: ProviderClient["redact"];
}

/** A call whose slots are attempted. */
type AttemptedCall = Pick<
  BillableCall,
  "model" | "cancellation" | "affinity" | "tokens" | "unable"
> & { caller: Caller };

/** The attempts of one generation at the slots of its chain. */
export class Attempts {
  readonly record: AttemptRecord;
  readonly #dependencies: AttemptDependencies;
  readonly #call: AttemptedCall;
  readonly #watcher: LeaveWatcher;
  #slotId: string | undefined;

  /** `watcher` is called when the caller leaves during an attempt; see `BillableCall.cancellation`. */
  constructor(dependencies: AttemptDependencies, call: AttemptedCall, watcher: LeaveWatcher) {
    this.record = new AttemptRecord(call.model, dependencies.redact);
    this.#dependencies = dependencies;
    this.#call = call;
    this.#watcher = watcher;
    for (const slot of call.unable ?? []) this.record.trail.passOver(slot, "unable");
  }

  /** The slot that served. Undefined until one has. */
  get slotId() {
    return this.#slotId;
  }

  /** See `Generation.attempt`. */
  attempt<Response>(call: (slot: Slot) => Promise<Response>): Promise<Served<Response>> {
    return this.#walk(call, true);
  }

  /** See `Generation.attemptStream`. */
  async attemptStream<Opened extends { chunks: AsyncIterable<unknown> }>(
    open: (slot: Slot) => Promise<Opened>,
  ): Promise<Served<Opened>> {
    const served = await this.#walk(async (slot) => {
      const opened = await open(slot);
      return { ...opened, chunks: await readToFirst(opened.chunks) };
    }, false);
    const { alias } = this.#call.model;
    this.#dependencies.metrics.firstToken.observe({ alias }, this.record.firstChunk() / 1_000);
    return served;
  }

  async #walk<Response>(
    call: (slot: Slot) => Promise<Response>,
    isWhole: boolean,
  ): Promise<Served<Response>> {
    const { model, caller, affinity, tokens, cancellation } = this.#call;
    const { record } = this;
    const common = chainOptions(this.#dependencies, model, caller.accountId);
    const options: ChainOptions = {
      ...common,
      affinity,
      tokens: tokens === undefined ? 0 : Number(tokens),
      isWhole,
      signal: cancellation?.signal,
      onPassedOver(slot, reason) {
        common.onPassedOver?.(slot, reason);
        record.trail.passOver(slot, reason);
      },
      keepUse: (use) => record.keepUse(use),
    };
    const served = await walkChain(model, (slot) => this.#tryOnce(slot, call), options);
    this.#slotId = served.slot.id;
    return served;
  }

  async #tryOnce<Response>(slot: Slot, call: (slot: Slot) => Promise<Response>): Promise<Response> {
    const { cancellation } = this.#call;
    cancellation?.signal.throwIfAborted();
    if (cancellation?.hasLeft) throw callerLeftError();
    const span = this.record.begin(slot);
    cancellation?.beginPart(this.#watcher);
    try {
      return await withAttempt(span, () => call(slot));
    } catch (error) {
      this.record.reject(error);
      throw error;
    } finally {
      cancellation?.endPart();
    }
  }
}

export function chainOptions(
  { breakers, balancer, log, metrics, redact }: AttemptDependencies,
  { alias }: Model,
  accountId: string,
): ChainOptions {
  return {
    breakers,
    balancer,
    accountId,
    log,
    redact,
    onAttempt(slot, outcome) {
      metrics.slotCalls.inc({ alias, slot: slot.id, outcome });
      const { name, key } = slot.provider;
      if (key !== undefined) metrics.keyCalls.inc({ provider: name, key: key.name, outcome });
    },
    onPassedOver: (slot, reason) => metrics.slotsPassedOver.inc({ alias, slot: slot.id, reason }),
  };
}
