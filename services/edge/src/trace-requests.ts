import { isSpanContextValid, type Span, SpanKind, trace } from "@opentelemetry/api";
import {
  contextOf,
  headersOf,
  recordServerFailure,
  tracer,
  withSpan,
} from "@tollgate/core/tracing";
import { recordHttpStatus, traceHeadersOf } from "@tollgate/http/traced-requests";
import type { Exchange } from "./exchange.ts";
import type { ServiceProxy } from "./proxy.ts";
import type { Upgrades } from "./server.ts";
import { livePath } from "./wire/live-transcription.ts";

/**
 * Runs `work` in a span of the request, which continues the client's own trace where its headers
 * carry one. Of the address the span names the route alone: the rest is the client's.
 */
export function traceExchange(
  exchange: Exchange,
  knows: (alias: string) => boolean,
  work: () => void,
): void {
  const { req, res, requestId } = exchange;
  const { method = "" } = req;
  const attributes = { "http.request.method": method, "tollgate.request_id": requestId };
  const options = { kind: SpanKind.SERVER, attributes };
  const span = tracer.startSpan(method, options, contextOf(traceHeadersOf(req.headers)));
  // Traces are off: no listener and no context is made for the request.
  if (!isSpanContextValid(span.spanContext())) return void work();
  exchange.traceId = span.spanContext().traceId;
  res.once("close", () => {
    recordResponse(span, exchange, knows);
    span.end();
  });
  withSpan(span, work);
}

function recordResponse(span: Span, exchange: Exchange, knows: (alias: string) => boolean): void {
  const { req, res, route, alias, failure } = exchange;
  if (route !== undefined) span.updateName(`${req.method} ${route}`);
  span.setAttributes({
    "http.route": route,
    "gen_ai.request.model": alias !== undefined && knows(alias) ? alias : undefined,
    "tollgate.client_disconnected": !res.writableFinished,
  });
  if (res.headersSent) recordHttpStatus(span, res.statusCode);
  if (failure !== undefined) recordServerFailure(span, failure);
}

/** Wraps WebSocket upgrades in a span that lasts as long as the connection. */
export function traceUpgrades({ takes, accept }: Upgrades): Upgrades {
  return {
    takes,
    accept(req, socket, head) {
      const attributes = { "http.request.method": "GET", "http.route": livePath };
      const options = { kind: SpanKind.SERVER, attributes };
      const parent = contextOf(traceHeadersOf(req.headers));
      const span = tracer.startSpan(`GET ${livePath}`, options, parent);
      socket.once("close", () => span.end());
      withSpan(span, () => accept(req, socket, head));
    },
  };
}

/** Wraps a proxy so that it forwards the trace of the request's span in place of the client's. */
export function traceProxy(proxy: ServiceProxy): ServiceProxy {
  return {
    web(req, res, caller) {
      Object.assign(req.headers, activeHeaders());
      proxy.web(req, res, caller);
    },
    upgrade(req, socket, head, stamp) {
      Object.assign(req.headers, activeHeaders());
      proxy.upgrade(req, socket, head, stamp);
    },
    close: proxy.close,
  };
}

function activeHeaders(): object {
  const span = trace.getActiveSpan();
  return span === undefined ? {} : headersOf(span);
}
