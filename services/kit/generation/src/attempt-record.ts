import type { Span } from "@opentelemetry/api";
import type { Model, Slot } from "@tollgate/catalog/model";
import { errorClassOf, failSpan, recordFailure } from "@tollgate/core/tracing";
import type { Measurement } from "@tollgate/metering/measurement";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import type { SlotUse } from "@tollgate/upstream/slot-load";
import { startAttempt } from "@tollgate/upstream/traced-requests";
import { brokenStream } from "./broken-stream.ts";
import { Trail } from "./trail.ts";
import { recordFirstChunk, recordUsageOnSpan } from "./usage-span.ts";

/** Records the attempts of one generation: each on a span of its own, and all in the trail. */
export class AttemptRecord {
  readonly trail: Trail;
  readonly #model: Model;
  /** The attempt whose span has not ended. */
  #open: { span: Span; startedAt: number } | undefined;
  /** The call of the slot that served, if its calls are counted. */
  #use: SlotUse | undefined;

  /** See `Trail` for `redact`. */
  constructor(model: Model, redact: ProviderClient["redact"]) {
    this.trail = new Trail(redact);
    this.#model = model;
  }

  /** Starts the span of an attempt. `reject`, `complete` or `abandon` must follow. */
  begin(slot: Slot): Span {
    const span = startAttempt(this.#model, slot);
    this.trail.beginAttempt(slot, span);
    this.#open = { span, startedAt: performance.now() };
    return span;
  }

  /** Keeps the call of the slot that served. `complete`, `abandon` or `endUse` ends it. */
  keepUse(use: SlotUse): void {
    this.#use = use;
  }

  /** Ends the call of the slot that served, unless it has ended. */
  endUse(): void {
    this.#use?.end();
  }

  /** Records the first chunk of a stream. Returns when it came, in milliseconds of the generation. */
  firstChunk(): number {
    const ms = this.trail.recordFirstChunk();
    if (this.#open !== undefined) recordFirstChunk(this.#open.span, this.#open.startedAt);
    return ms;
  }

  /** Ends an attempt that did not serve. */
  reject(error: unknown): void {
    this.#end((span) => recordFailure(span, error), error);
  }

  /** Records why the attempt that served broke off, where its provider did. `complete` must follow. */
  breakOff(failure: unknown): void {
    if (this.#open !== undefined && failure instanceof SlotFailure) this.trail.breakOff(failure);
  }

  /** Ends the attempt that served, with the usage of its response. */
  complete(slot: Slot, usage: Measurement): void {
    this.#use?.end(this.#model.unitType === "tokens" ? Number(usage.quantity) : undefined);
    this.#end((span) => recordUsageOnSpan(span, this.#model, slot, usage));
  }

  /**
   * Ends the attempt that served a generation which is not billed. Returns the error code of the request. If
   * the provider broke off, it is the code that the client was sent.
   */
  abandon(failure: unknown): string {
    this.#use?.end();
    const type = failure === undefined ? "abandoned" : errorClassOf(failure);
    const code = failure instanceof SlotFailure ? brokenStream(failure).code : type;
    const { trail } = this;
    const isOpen = this.#open !== undefined;
    this.#end((span) => failSpan(span, type), failure ?? new Error(type));
    // The attempt failed as the request did, so both have one code.
    if (isOpen) trail.renameFailure(code);
    return code;
  }

  #end(record: (span: Span) => void, error?: unknown): void {
    if (this.#open === undefined) return;
    this.trail.endAttempt(error);
    const { span } = this.#open;
    this.#open = undefined;
    record(span);
    span.end();
  }
}
