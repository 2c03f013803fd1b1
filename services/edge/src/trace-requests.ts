import { tellFailure } from "@tollgate/kit/tracing/failure";
import { tellHttpStatus, traceOfHeaders } from "@tollgate/kit/tracing/http";
import type { Span, Tracer } from "@tollgate/kit/tracing/tracer";
import type { RequestContext } from "./http/request-context.ts";
import type { Upgrades } from "./http/upgrades.ts";
import type { ServiceProxy } from "./proxy/service-proxy.ts";

/**
 * Calls `work` in a span of the request, which continues the client's trace if the request has one.
 * Of the address the span records only the route: the rest is client input.
 */
export function traceRequest(
  tracer: Tracer,
  context: RequestContext,
  knows: (alias: string) => boolean,
  work: () => void,
): void {
  const { req, res, requestId } = context;
  const { method = "" } = req;
  const attributes = { "http.request.method": method, "tollgate.request_id": requestId };
  const span = tracer.resume(method, "server", attributes, traceOfHeaders(req.headers));
  context.traceId = span.traceId;
  res.once("close", () => {
    recordResponse(span, context, knows);
    span.end();
  });
  tracer.within(span, work);
}

function recordResponse(
  span: Span,
  context: RequestContext,
  knows: (alias: string) => boolean,
): void {
  const { req, res, route, alias, failure } = context;
  if (route !== undefined) span.rename(`${req.method} ${route}`);
  span.set({
    "http.route": route,
    "gen_ai.request.model": alias !== undefined && knows(alias) ? alias : undefined,
    "tollgate.client_left": !res.writableFinished,
  });
  if (res.headersSent) tellHttpStatus(span, res.statusCode);
  if (failure !== undefined) tellFailure(span, failure);
}

/** Traces WebSocket upgrades. A span lasts as long as its connection. */
export function traceUpgrades({ routeOf, accept }: Upgrades, tracer: Tracer): Upgrades {
  return {
    routeOf,
    accept(req, socket, head) {
      const route = routeOf(req) ?? "";
      const attributes = { "http.request.method": "GET", "http.route": route };
      const trace = traceOfHeaders(req.headers);
      const span = tracer.resume(`GET ${route}`, "server", attributes, trace);
      socket.once("close", () => span.end());
      tracer.within(span, () => accept(req, socket, head));
    },
  };
}

/** Traces a proxy: forwarded requests continue the current trace instead of the client's. */
export function traceProxy(proxy: ServiceProxy, tracer: Tracer): ServiceProxy {
  return {
    web(req, res, caller) {
      Object.assign(req.headers, tracer.current()?.headers);
      proxy.web(req, res, caller);
    },
    upgrade(req, socket, head, options) {
      Object.assign(req.headers, tracer.current()?.headers);
      proxy.upgrade(req, socket, head, options);
    },
    close: proxy.close,
  };
}
