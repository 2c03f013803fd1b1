import type { Model, Slot } from "@tollgate/catalog/model";
import { type Cancellable, callerLeftError, type LeaveWatcher } from "@tollgate/core/cancellation";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import type { Breakers } from "@tollgate/upstream/breaker";
import { type ChainOptions, type Served, walkChain } from "@tollgate/upstream/chain";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import { withAttempt } from "@tollgate/upstream/traced-requests";
import { AttemptRecord } from "./attempt-record.ts";
import { readToFirst } from "./first-chunk.ts";
import type { BillableCall } from "./generation.ts";
import type { Reporting } from "./reporting.ts";

export interface AttemptDependencies extends Reporting {
  breakers: Breakers;
  /** See `ProviderClient.redact`. */
  redact: ProviderClient["redact"];
}

/** A call whose slots are attempted. */
type AttemptedCall = Pick<BillableCall, "model" | "cancellation"> & { caller: Caller };

/** The attempts of one generation at the slots of its chain. */
export class Attempts {
  readonly record: AttemptRecord;
  readonly #dependencies: AttemptDependencies;
  readonly #model: Model;
  readonly #cancellation: Cancellable | undefined;
  readonly #watcher: LeaveWatcher;
  readonly #accountId: string;
  #slotId: string | undefined;

  /** `watcher` is called when the caller leaves during an attempt; see `BillableCall.cancellation`. */
  constructor(
    dependencies: AttemptDependencies,
    { caller, model, cancellation }: AttemptedCall,
    watcher: LeaveWatcher,
  ) {
    this.record = new AttemptRecord(model);
    this.#accountId = caller.accountId;
    this.#dependencies = dependencies;
    this.#model = model;
    this.#cancellation = cancellation;
    this.#watcher = watcher;
  }

  /** The slot that served. Undefined until one has. */
  get slotId() {
    return this.#slotId;
  }

  /** See `Generation.attempt`. */
  async attempt<Response>(call: (slot: Slot) => Promise<Response>): Promise<Served<Response>> {
    const options = chainOptions(this.#dependencies, this.#model, this.#accountId);
    const attempt = (slot: Slot) => this.#tryOnce(slot, call);
    const served = await walkChain(this.#model.chain, attempt, options);
    this.#slotId = served.slot.id;
    return served;
  }

  /** See `Generation.attemptStream`. */
  async attemptStream<Opened extends { chunks: AsyncIterable<unknown> }>(
    open: (slot: Slot) => Promise<Opened>,
  ): Promise<Served<Opened>> {
    const served = await this.attempt(async (slot) => {
      const opened = await open(slot);
      return { ...opened, chunks: await readToFirst(opened.chunks) };
    });
    const { alias } = this.#model;
    this.#dependencies.metrics.firstToken.observe({ alias }, this.record.firstChunk() / 1_000);
    return served;
  }

  async #tryOnce<Response>(slot: Slot, call: (slot: Slot) => Promise<Response>): Promise<Response> {
    const cancellation = this.#cancellation;
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
  { breakers, log, metrics, redact }: AttemptDependencies,
  { alias }: Model,
  accountId: string,
): ChainOptions {
  return {
    breakers,
    accountId,
    log,
    redact,
    onAttempt: (slot, outcome) => metrics.slotCalls.inc({ alias, slot: slot.id, outcome }),
  };
}
