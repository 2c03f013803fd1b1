import type { Span } from "@opentelemetry/api";
import type { Model, Slot } from "@tollgate/catalog/model";
import type { Measurement } from "@tollgate/metering/measurement";

/**
 * Records on the span of an attempt when the first chunk arrived. `startedAt` is a time of
 * `performance.now()`.
 */
export function recordFirstChunk(span: Span, startedAt: number): void {
  const seconds = (performance.now() - startedAt) / 1_000;
  span.addEvent("gen_ai.first_token");
  span.setAttribute("gen_ai.response.time_to_first_chunk", seconds);
}

/** Records the usage of a response on the span of its attempt. */
export function recordUsageOnSpan(
  span: Span,
  { unitType }: Model,
  slot: Slot,
  usage: Measurement,
): void {
  if (!span.isRecording()) return;
  const { tokens, quantity, basis } = usage;
  span.setAttributes({
    "gen_ai.response.model": slot.upstreamModel,
    "gen_ai.usage.input_tokens": tokens && Number(tokens.prompt),
    "gen_ai.usage.output_tokens": tokens && Number(tokens.completion),
    "gen_ai.usage.cache_read.input_tokens": tokens && Number(tokens.cachedPrompt),
    "tollgate.usage.quantity": Number(quantity),
    "tollgate.usage.unit": unitType,
    "tollgate.usage.basis": basis,
  });
}
