import type { Model, Slot } from "@tollgate/catalog/model";
import { tellFailure } from "@tollgate/core/tracing/failure";
import { traced } from "@tollgate/core/tracing/traced";
import type { Attributes, Span, Tracer } from "@tollgate/core/tracing/tracer";
import type { Measurement } from "@tollgate/metering/measurement";
import type { Generation } from "./generation.ts";
import type { Pipeline } from "./pipeline.ts";

/** A pipeline's `open`, with a span for each slot that is tried. */
export function traceOpen(open: Pipeline["open"], tracer: Tracer): Pipeline["open"] {
  return async (caller, model, estimate, conversationId) =>
    traceGeneration(await open(caller, model, estimate, conversationId), model, tracer);
}

/** The same for its `walk`. */
export function traceWalk(walk: Pipeline["walk"], tracer: Tracer): Pipeline["walk"] {
  return (model, attempt) =>
    walk(model, (slot) => traced(tracer, startAttempt(tracer, model, slot), () => attempt(slot)));
}

/** The span of the slot that serves lasts until its answer is whole, and tells what that used. */
function traceGeneration(generation: Generation, model: Model, tracer: Tracer): Generation {
  let serving: { span: Span; slot: Slot; startedAt: number } | undefined;

  function end(tell: (span: Span, slot: Slot) => void): void {
    if (serving === undefined) return;
    tell(serving.span, serving.slot);
    serving.span.end();
    serving = undefined;
  }

  return {
    get held() {
      return generation.held;
    },
    grow: (estimate) => generation.grow(estimate),
    call: (attempt) =>
      generation.call(async (slot) => {
        const span = startAttempt(tracer, model, slot);
        serving = { span, slot, startedAt: performance.now() };
        try {
          return await tracer.within(span, () => attempt(slot));
        } catch (error) {
          end(() => tellFailure(span, error));
          throw error;
        }
      }),
    firstPiece() {
      generation.firstPiece();
      if (serving === undefined) return;
      const { span, startedAt } = serving;
      span.mark("gen_ai.first_token");
      const seconds = (performance.now() - startedAt) / 1_000;
      span.set({ "gen_ai.response.time_to_first_chunk": seconds });
    },
    answered(measured) {
      end((span, slot) => span.set(usageOf(model, slot, measured)));
      generation.answered(measured);
    },
    complete(slot, measured) {
      end((span) => span.set(usageOf(model, slot, measured)));
      return generation.complete(slot, measured);
    },
    chargeOf: (measured) => generation.chargeOf(measured),
    fail(cause) {
      end((span) => (cause === undefined ? span.fail("abandoned") : tellFailure(span, cause)));
      return generation.fail(cause);
    },
  };
}

function startAttempt(tracer: Tracer, { alias, routeType }: Model, slot: Slot): Span {
  return tracer.start(`${routeType} ${alias}`, "client", {
    "gen_ai.operation.name": routeType,
    "gen_ai.provider.name": slot.provider.name,
    "gen_ai.request.model": alias,
    "tollgate.slot": slot.id,
  });
}

function usageOf({ unitType }: Model, slot: Slot, measured: Measurement): Attributes {
  const { tokens, quantity, basis } = measured;
  return {
    "gen_ai.response.model": slot.upstreamModel,
    "gen_ai.usage.input_tokens": tokens && Number(tokens.prompt),
    "gen_ai.usage.output_tokens": tokens && Number(tokens.completion),
    "gen_ai.usage.cache_read.input_tokens": tokens && Number(tokens.cachedPrompt),
    "tollgate.usage.quantity": Number(quantity),
    "tollgate.usage.unit": unitType,
    "tollgate.usage.basis": basis,
  };
}
