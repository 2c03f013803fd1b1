import { tellFailure } from "@tollgate/core/tracing/failure";
import type { Span, Tracer } from "@tollgate/core/tracing/tracer";
import { tellHttpStatus, traceOfHeaders } from "@tollgate/http/traced-requests";
import type { Exchange } from "./exchange.ts";
import type { ServiceProxy } from "./proxy.ts";
import type { Upgrades } from "./server.ts";
import { livePath } from "./wire/live-transcription.ts";

/**
 * Does `work` in a span of the request, which goes on the client's own trace where it names one. Of
 * the address it tells the route alone: the rest is the client's to write, and may hold anything.
 */
export function traceExchange(
  tracer: Tracer,
  exchange: Exchange,
  knows: (alias: string) => boolean,
  work: () => void,
): void {
  const { req, res, requestId } = exchange;
  const { method = "" } = req;
  const attributes = { "http.request.method": method, "tollgate.request_id": requestId };
  const span = tracer.resume(method, "server", attributes, traceOfHeaders(req.headers));
  exchange.traceId = span.traceId;
  res.once("close", () => {
    tellAnswer(span, exchange, knows);
    span.end();
  });
  tracer.within(span, work);
}

function tellAnswer(span: Span, exchange: Exchange, knows: (alias: string) => boolean): void {
  const { req, res, route, alias, failure } = exchange;
  if (route !== undefined) span.rename(`${req.method} ${route}`);
  span.set({
    "http.route": route,
    "gen_ai.request.model": alias !== undefined && knows(alias) ? alias : undefined,
    "tollgate.client_left": !res.writableFinished,
  });
  if (res.headersSent) tellHttpStatus(span, res.statusCode);
  if (failure !== undefined) tellFailure(span, failure);
}

/** The same for WebSockets; their span lasts as long as they do. */
export function traceUpgrades({ takes, accept }: Upgrades, tracer: Tracer): Upgrades {
  return {
    takes,
    accept(req, socket, head) {
      const attributes = { "http.request.method": "GET", "http.route": livePath };
      const trace = traceOfHeaders(req.headers);
      const span = tracer.resume(`GET ${livePath}`, "server", attributes, trace);
      socket.once("close", () => span.end());
      tracer.within(span, () => accept(req, socket, head));
    },
  };
}

/** The proxy, which hands the trace on in place of the client's. */
export function traceProxy(proxy: ServiceProxy, tracer: Tracer): ServiceProxy {
  return {
    web(req, res, caller) {
      Object.assign(req.headers, tracer.current()?.headers);
      proxy.web(req, res, caller);
    },
    upgrade(req, socket, head, stamp) {
      Object.assign(req.headers, tracer.current()?.headers);
      proxy.upgrade(req, socket, head, stamp);
    },
    close: proxy.close,
  };
}
