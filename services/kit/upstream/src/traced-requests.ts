import type { Slot } from "@tollgate/catalog/model";
import { traced } from "@tollgate/core/tracing/traced";
import type { Attributes, Span, Tracer } from "@tollgate/core/tracing/tracer";
import { SlotFailure } from "./failure.ts";
import type { ProviderClient } from "./provider-client.ts";

type Send = ProviderClient["send"];

/**
 * Requests to providers, with the trace in their headers. A request that is a slot's attempt is
 * told on the attempt's span; any other has one of its own.
 */
export function traceSend(send: Send, baseUrlOf: (slot: Slot) => string, tracer: Tracer): Send {
  return async (slot, request, signal) => {
    const { method } = request;
    const attributes = { "http.request.method": method, ...serverAt(baseUrlOf(slot)) };
    const sendIn = async (span: Span) => {
      const headers = { ...request.headers, ...span.headers };
      return tellStatus(span, () => send(slot, { ...request, headers }, signal));
    };
    const attempt = tracer.current();
    if (attempt?.kind === "client") {
      attempt.set(attributes);
      return sendIn(attempt);
    }
    const span = tracer.start(method, "client", attributes);
    return traced(tracer, span, () => sendIn(span));
  };
}

/** Where a slot's WebSocket goes. */
export function traceUpgrade(url: string, tracer: Tracer): Record<string, string> {
  const span = tracer.current();
  span?.set(serverAt(url));
  return { ...span?.headers };
}

async function tellStatus<Answer extends { status: number }>(
  span: Span,
  send: () => Promise<Answer>,
): Promise<Answer> {
  try {
    const answer = await send();
    span.set({ "http.response.status_code": answer.status });
    return answer;
  } catch (error) {
    if (error instanceof SlotFailure) span.set({ "http.response.status_code": error.status });
    throw error;
  }
}

function serverAt(url: string): Attributes {
  if (!URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  const secure = protocol === "https:" || protocol === "wss:";
  return { "server.address": hostname, "server.port": Number(port) || (secure ? 443 : 80) };
}
