import type { Span } from "@opentelemetry/api";
import type { Model, Slot } from "@tollgate/catalog/model";
import { errorType, failSpan, recordFailure } from "@tollgate/core/tracing";
import type { Measurement } from "@tollgate/metering/measurement";
import type { Breakers } from "@tollgate/upstream/breaker";
import { type ChainOptions, type Served, walkChain } from "@tollgate/upstream/chain";
import { startAttempt, withAttempt } from "@tollgate/upstream/traced-requests";
import { readToFirst } from "./first-chunk.ts";
import type { Reporting } from "./reporting.ts";
import { Trail } from "./trail.ts";
import { recordFirstChunk, recordUsage } from "./usage-span.ts";

export interface AttemptDependencies extends Reporting {
  breakers: Breakers;
}

/** An attempt whose span has not ended. */
interface OpenAttempt {
  span: Span;
  startedAt: number;
}

/** The attempts of one generation at the slots of its chain, each with a span, and their trail. */
export class Attempts {
  readonly trail = new Trail();
  readonly #dependencies: AttemptDependencies;
  readonly #model: Model;
  #slotId: string | undefined;
  #open: OpenAttempt | undefined;

  constructor(dependencies: AttemptDependencies, model: Model) {
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
    const { metrics } = this.#dependencies;
    metrics.firstToken.observe({ alias: this.#model.alias }, this.trail.recordFirstChunk() / 1_000);
    if (this.#open !== undefined) recordFirstChunk(this.#open.span, this.#open.startedAt);
    return served;
  }

  /** Ends the attempt that served, with the usage of its response. */
  complete(slot: Slot, usage: Measurement): void {
    const span = this.#end();
    if (span === undefined) return;
    recordUsage(span, this.#model, slot, usage);
    span.end();
  }

  /** Ends the attempt that served a generation which is not billed. Returns the error code. */
  fail(failure: unknown): string {
    const type = failure === undefined ? "abandoned" : errorType(failure);
    const span = this.#end(failure ?? new Error(type));
    if (span === undefined) return type;
    failSpan(span, type);
    span.end();
    return type;
  }

  async #tryOnce<Response>(slot: Slot, call: (slot: Slot) => Promise<Response>): Promise<Response> {
    const span = startAttempt(this.#model, slot);
    this.trail.beginAttempt(slot, span);
    this.#open = { span, startedAt: performance.now() };
    try {
      return await withAttempt(span, () => call(slot));
    } catch (error) {
      this.#end(error);
      recordFailure(span, error);
      span.end();
      throw error;
    }
  }

  /** Returns the span of the attempt that was open. */
  #end(error?: unknown): Span | undefined {
    if (this.#open === undefined) return undefined;
    this.trail.endAttempt(error);
    const { span } = this.#open;
    this.#open = undefined;
    return span;
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
