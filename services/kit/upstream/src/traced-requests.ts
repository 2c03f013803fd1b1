import {
  type Attributes,
  context,
  createContextKey,
  type Span,
  SpanKind,
  trace,
} from "@opentelemetry/api";
import type { Model, Slot } from "@tollgate/catalog/model";
import { headersOfSpan, isInTrace, traced, tracer } from "@tollgate/core/tracing";
import { SlotFailure } from "./failure.ts";

const attemptKey = createContextKey("the span of a slot's attempt");

/** Starts the span of one attempt at a slot. */
export function startAttempt({ alias, routeType }: Model, slot: Slot): Span {
  return tracer.startSpan(`${routeType} ${alias}`, {
    kind: SpanKind.CLIENT,
    attributes: {
      "gen_ai.operation.name": routeType,
      "gen_ai.provider.name": slot.provider.name,
      "gen_ai.request.model": alias,
      "tollgate.slot": slot.id,
    },
  });
}

/** Runs `work` so that its requests to the provider are recorded on `span`, the attempt's span. */
export function withAttempt<T>(span: Span, work: () => T): T {
  if (!isInTrace(span)) return work();
  const active = trace.setSpan(context.active(), span);
  return context.with(active.setValue(attemptKey, span), work);
}

/**
 * Sends one request to a provider, and records it on the span of the slot's attempt, or on a span of
 * its own where there is no attempt. `send` must add the headers to the request. Without a trace, it
 * is called without headers.
 */
export function tracedSend<Response extends { status: number }>(
  method: string,
  baseUrl: () => string,
  send: (headers?: Record<string, string>) => Promise<Response>,
): Promise<Response> {
  if (trace.getActiveSpan() === undefined) return send();
  const attributes = { "http.request.method": method, ...serverAt(baseUrl()) };
  const attempt = currentAttempt();
  if (attempt !== undefined) {
    attempt.setAttributes(attributes);
    return sendIn(attempt, send);
  }
  const span = tracer.startSpan(method, { kind: SpanKind.CLIENT, attributes });
  return traced(span, () => sendIn(span, send));
}

/** Returns the trace headers of a WebSocket upgrade, and records its address on the attempt. */
export function upgradeHeaders(url: string): Record<string, string> {
  const attempt = currentAttempt();
  if (attempt === undefined) return {};
  attempt.setAttributes(serverAt(url));
  return { ...headersOfSpan(attempt) };
}

function currentAttempt(): Span | undefined {
  return context.active().getValue(attemptKey) as Span | undefined;
}

async function sendIn<Response extends { status: number }>(
  span: Span,
  send: (headers: Record<string, string>) => Promise<Response>,
): Promise<Response> {
  try {
    const response = await send({ ...headersOfSpan(span) });
    span.setAttribute("http.response.status_code", response.status);
    return response;
  } catch (error) {
    if (error instanceof SlotFailure && error.status !== undefined) {
      span.setAttribute("http.response.status_code", error.status);
    }
    throw error;
  }
}

function serverAt(url: string): Attributes {
  if (!URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  const secure = protocol === "https:" || protocol === "wss:";
  return { "server.address": hostname, "server.port": Number(port) || (secure ? 443 : 80) };
}
