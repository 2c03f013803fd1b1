import type { Model, Slot } from "@tollgate/catalog/model";
import type { Breakers } from "@tollgate/upstream/breaker";
import { type ChainOptions, type Served, walkChain } from "@tollgate/upstream/chain";
import { withAttempt } from "@tollgate/upstream/traced-requests";
import { AttemptRecord } from "./attempt-record.ts";
import { readToFirst } from "./first-chunk.ts";
import type { Reporting } from "./reporting.ts";

export interface AttemptDependencies extends Reporting {
  breakers: Breakers;
}

/** The attempts of one generation at the slots of its chain. */
export class Attempts {
  readonly record: AttemptRecord;
  readonly #dependencies: AttemptDependencies;
  readonly #model: Model;
  #slotId: string | undefined;

  constructor(dependencies: AttemptDependencies, model: Model) {
    this.record = new AttemptRecord(model);
    this.#dependencies = dependencies;
    this.#model = model;
  }

  /** The slot that served. Undefined until one has. */
  get slotId() {
    return this.#slotId;
  }

  /** See `Generation.attempt`. */
  async attempt<Response>(call: (slot: Slot) => Promise<Response>): Promise<Served<Response>> {
    const options = chainOptions(this.#dependencies, this.#model);
    const served = await walkChain(this.#model.chain, (slot) => this.#tryOnce(slot, call), options);
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
    const span = this.record.begin(slot);
    try {
      return await withAttempt(span, () => call(slot));
    } catch (error) {
      this.record.reject(error);
      throw error;
    }
  }
}

export function chainOptions(
  { breakers, log, metrics }: AttemptDependencies,
  { alias }: Model,
): ChainOptions {
  return {
    breakers,
    log,
    onAttempt: (slot, outcome) => metrics.slotCalls.inc({ alias, slot: slot.id, outcome }),
  };
}
