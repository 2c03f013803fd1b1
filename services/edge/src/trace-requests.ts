import { type Span, SpanKind, trace } from "@opentelemetry/api";
import {
  headersOfSpan,
  isInTrace,
  recordServerFailure,
  traceContextOf,
  tracer,
  withSpan,
} from "@tollgate/core/tracing";
import { recordHttpStatus, traceHeadersOf } from "@tollgate/http/traced-requests";
import type { RequestContext } from "./http/request-context.ts";
import type { Upgrades } from "./http/upgrades.ts";
import type { ServiceProxy } from "./proxy/service-proxy.ts";

/**
 * Calls `work` in a span of the request, which continues the client's trace if the request has one.
 * Of the address the span records only the route: the rest is client input.
 */
export function traceRequest(
  context: RequestContext,
  knows: (alias: string) => boolean,
  work: () => void,
): void {
  const { req, res, requestId } = context;
  const { method = "" } = req;
  const attributes = { "http.request.method": method, "tollgate.request_id": requestId };
  const options = { kind: SpanKind.SERVER, attributes };
  const span = tracer.startSpan(method, options, traceContextOf(traceHeadersOf(req.headers)));
  // While traces are off, a request gets no listener and no context.
  if (!isInTrace(span)) return void work();
  context.traceId = span.spanContext().traceId;
  res.once("close", () => {
    recordResponse(span, context, knows);
    span.end();
  });
  withSpan(span, work);
}

function recordResponse(
  span: Span,
  context: RequestContext,
  knows: (alias: string) => boolean,
): void {
  const { req, res, route, alias, failure } = context;
  if (route !== undefined) span.updateName(`${req.method} ${route}`);
  span.setAttributes({
    "http.route": route,
    "gen_ai.request.model": alias !== undefined && knows(alias) ? alias : undefined,
    "tollgate.client_disconnected": !res.writableFinished,
  });
  if (res.headersSent) recordHttpStatus(span, res.statusCode);
  if (failure !== undefined) recordServerFailure(span, failure);
}

/** Traces WebSocket upgrades. A span lasts as long as its connection. */
export function traceUpgrades({ routeOf, accept }: Upgrades): Upgrades {
  return {
    routeOf,
    accept(req, socket, head) {
      const route = routeOf(req) ?? "";
      const attributes = { "http.request.method": "GET", "http.route": route };
      const options = { kind: SpanKind.SERVER, attributes };
      const parent = traceContextOf(traceHeadersOf(req.headers));
      const span = tracer.startSpan(`GET ${route}`, options, parent);
      socket.once("close", () => span.end());
      withSpan(span, () => accept(req, socket, head));
    },
  };
}

/** Traces a proxy: forwarded requests continue the current trace instead of the client's. */
export function traceProxy(proxy: ServiceProxy): ServiceProxy {
  return {
    web(req, res, caller, signal) {
      Object.assign(req.headers, currentHeaders());
      proxy.web(req, res, caller, signal);
    },
    upgrade(req, socket, head, options) {
      Object.assign(req.headers, currentHeaders());
      proxy.upgrade(req, socket, head, options);
    },
    close: proxy.close,
  };
}

function currentHeaders(): object {
  const span = trace.getActiveSpan();
  return span === undefined ? {} : headersOfSpan(span);
}
