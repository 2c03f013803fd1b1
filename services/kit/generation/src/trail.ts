import { create } from "@bufbuild/protobuf";
import { isSpanContextValid, type Span } from "@opentelemetry/api";
import type { Slot } from "@tollgate/catalog/model";
import type { NanoUsd } from "@tollgate/core/money";
import { storableText } from "@tollgate/core/storable-text";
import { errorClassOf } from "@tollgate/core/tracing";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import {
  type Attempt,
  AttemptSchema,
  type PassedOverSlot,
  PassedOverSlotSchema,
  type RequestTrail,
} from "@tollgate/proto/tollgate/v1/usage";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import type { RequestIdWatcher } from "@tollgate/upstream/provider-request-ids";
import { hideKeys } from "@tollgate/upstream/redaction";
import type { ResponseIds } from "./generation.ts";
import type { SentToClient } from "./sent-to-client.ts";

/** How many attempts, and slots that were passed over, are recorded. */
const maxRecorded = 16;
const maxMessageCharacters = 1_024;
export const maxIdCharacters = 200;

/** Copied for each attempt, in a fraction of the time that `create` takes. */
const newAttempt = create(AttemptSchema);

/** What a request went through, for its usage event. */
export class Trail implements RequestIdWatcher {
  readonly #redact: ProviderClient["redact"];
  readonly #startedAt = performance.now();
  readonly #attempts: Attempt[] = [];
  #passedOver: PassedOverSlot[] | undefined;
  /** The attempt that has begun last. */
  #current: { attempt: Attempt; slot: Slot } | undefined;
  #firstTokenMs: number | undefined;
  #isStreamed = false;
  #traceId = "";
  #responseId = "";

  /** `redact` hides the credentials of a slot's provider in what it says. */
  constructor(redact: ProviderClient["redact"]) {
    this.#redact = redact;
  }

  get elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  beginAttempt(slot: Slot, span: Span): void {
    const { provider, upstreamModel } = slot;
    const context = span.spanContext();
    if (isSpanContextValid(context)) this.#traceId = context.traceId;
    const startedMs = Math.round(this.elapsedMs);
    const { name, key } = provider;
    const attempt: Attempt = {
      ...newAttempt,
      provider: name,
      upstreamModel,
      startedMs,
      key: key?.name ?? "",
    };
    this.#current = { attempt, slot };
    this.#responseId = "";
    // The last of more attempts is the one that served, or the last to fail.
    if (this.#attempts.length === maxRecorded) this.#attempts.pop();
    this.#attempts.push(attempt);
  }

  /** Records a slot that was not called. */
  passOver({ provider, upstreamModel }: Slot, reason: string): void {
    this.#passedOver ??= [];
    if (this.#passedOver.length === maxRecorded) return;
    const { name, key } = provider;
    const slot = { provider: name, upstreamModel, reason, key: key?.name ?? "" };
    this.#passedOver.push(create(PassedOverSlotSchema, slot));
  }

  /** Receives the id that the provider gave the request of the attempt that has begun last. */
  nameRequest(providerRequestId: string): void {
    const { attempt } = this.#current ?? {};
    if (attempt !== undefined) attempt.providerRequestId = providerRequestId;
  }

  /** See `Generation.identify`. */
  identify({ provider, client }: ResponseIds): void {
    const { attempt } = this.#current ?? {};
    if (attempt !== undefined) attempt.providerResponseId = storableText(provider, maxIdCharacters);
    this.#responseId = storableText(client, maxIdCharacters);
  }

  /** Ends the attempt that has begun last, which served the request unless there is an `error`. */
  endAttempt(error?: unknown): void {
    if (this.#current === undefined) return;
    const { attempt } = this.#current;
    attempt.durationMs = Math.round(this.elapsedMs) - attempt.startedMs;
    if (error === undefined) return;
    attempt.errorCode = error instanceof SlotFailure ? error.outcome : errorClassOf(error);
    attempt.status = error instanceof SlotFailure ? (error.status ?? 0) : 0;
    const failure = error instanceof Error && !(error instanceof SlotFailure) ? error.cause : error;
    if (failure instanceof SlotFailure) this.breakOff(failure);
  }

  /** Records the reason for which the attempt that has begun last ends early. */
  breakOff(failure: SlotFailure): void {
    if (this.#current === undefined) return;
    const { attempt, slot } = this.#current;
    const shown = (text: string) =>
      storableText(hideKeys(this.#redact(slot, text)), maxMessageCharacters);
    attempt.reason = shown(failure.message);
    attempt.providerMessage = shown(failure.providerMessage ?? "");
  }

  /** Sets the error code of the attempt that has ended last. */
  renameFailure(errorCode: string): void {
    if (this.#current !== undefined) this.#current.attempt.errorCode = errorCode;
  }

  /** Records that the first chunk of a stream has arrived. Resolves with the time, milliseconds. */
  recordFirstChunk(): number {
    this.#isStreamed = true;
    this.#firstTokenMs = Math.round(this.elapsedMs);
    return this.elapsedMs;
  }

  /** Returns the message of a request that has ended, with an error or without. */
  end(
    { endpoint, userAgent, clientRequestId }: Caller,
    heldNanoUsd: NanoUsd,
    errorCode: string,
    { status, code = "", message, isPartial = false }: SentToClient,
  ): RequestTrail {
    return {
      $typeName: "tollgate.v1.RequestTrail",
      attempts: this.#attempts,
      durationMs: Math.round(this.elapsedMs),
      ...(this.#firstTokenMs === undefined ? {} : { firstTokenMs: this.#firstTokenMs }),
      errorCode,
      traceId: this.#traceId,
      heldNanoUsd,
      isStreamed: this.#isStreamed,
      isPartial,
      clientStatus: this.#isStreamed && status > 0 ? 200 : status,
      clientCode: code,
      clientMessage: storableText(message, maxMessageCharacters),
      endpoint,
      userAgent,
      clientRequestId,
      responseId: this.#responseId,
      creationRequestId: "",
      creationClientRequestId: "",
      passedOver: this.#passedOver ?? [],
    };
  }
}
