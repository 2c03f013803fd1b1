import { create } from "@bufbuild/protobuf";
import { isSpanContextValid, type Span } from "@opentelemetry/api";
import type { Slot } from "@tollgate/catalog/model";
import type { NanoUsd } from "@tollgate/core/money";
import { errorClassOf } from "@tollgate/core/tracing";
import {
  type Attempt,
  AttemptSchema,
  type PassedOverSlot,
  PassedOverSlotSchema,
  type RequestTrail,
  RequestTrailSchema,
} from "@tollgate/proto/tollgate/v1/usage";
import { SlotFailure } from "@tollgate/upstream/failure";

/** How many attempts, and slots that were passed over, are recorded. */
const maxRecorded = 16;

/** What a request went through, for its usage event. */
export class Trail {
  readonly #startedAt = performance.now();
  readonly #attempts: Attempt[] = [];
  #passedOver: PassedOverSlot[] | undefined;
  /** The attempt that has begun last. */
  #current: Attempt | undefined;
  #firstTokenMs: number | undefined;
  #isStreamed = false;
  #traceId = "";

  get elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  beginAttempt({ provider, upstreamModel }: Slot, span: Span): void {
    const context = span.spanContext();
    if (isSpanContextValid(context)) this.#traceId = context.traceId;
    const startedMs = Math.round(this.elapsedMs);
    const { name, key } = provider;
    const attempt = { provider: name, upstreamModel, startedMs, key: key?.name ?? "" };
    this.#current = create(AttemptSchema, attempt);
    // The last of more attempts is the one that served, or the last to fail.
    if (this.#attempts.length === maxRecorded) this.#attempts.pop();
    this.#attempts.push(this.#current);
  }

  /** Records a slot that was not called. */
  passOver({ provider, upstreamModel }: Slot, reason: string): void {
    this.#passedOver ??= [];
    if (this.#passedOver.length === maxRecorded) return;
    const { name, key } = provider;
    const slot = { provider: name, upstreamModel, reason, key: key?.name ?? "" };
    this.#passedOver.push(create(PassedOverSlotSchema, slot));
  }

  /** Ends the attempt that has begun last, which served the request unless there is an `error`. */
  endAttempt(error?: unknown): void {
    const attempt = this.#current;
    if (attempt === undefined) return;
    attempt.durationMs = Math.round(this.elapsedMs) - attempt.startedMs;
    if (error === undefined) return;
    attempt.errorCode = error instanceof SlotFailure ? error.outcome : errorClassOf(error);
    attempt.status = error instanceof SlotFailure ? (error.status ?? 0) : 0;
  }

  /** Records that the first chunk of a stream has arrived. Resolves with the time, milliseconds. */
  recordFirstChunk(): number {
    this.#isStreamed = true;
    this.#firstTokenMs = Math.round(this.elapsedMs);
    return this.elapsedMs;
  }

  /** Returns the message of a request that has ended, with an error or without. */
  end(heldNanoUsd: NanoUsd, errorCode: string): RequestTrail {
    return create(RequestTrailSchema, {
      attempts: this.#attempts,
      durationMs: Math.round(this.elapsedMs),
      ...(this.#firstTokenMs === undefined ? {} : { firstTokenMs: this.#firstTokenMs }),
      errorCode,
      traceId: this.#traceId,
      heldNanoUsd,
      isStreamed: this.#isStreamed,
      ...(this.#passedOver === undefined ? {} : { passedOver: this.#passedOver }),
    });
  }
}
