import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import {
  type Span,
  type TraceHeaders,
  type Tracer,
  traceHeaders,
} from "@tollgate/core/tracing/tracer";
import type { ProxiedHandlers } from "./server.ts";

/** The trace that a request's headers name. */
export function traceOfHeaders(headers: IncomingHttpHeaders): TraceHeaders | undefined {
  return traceHeaders((name) => headers[name]?.toString());
}

/** Tells how a request was answered, by its status alone. */
export function tellHttpStatus(span: Span, status: number): void {
  span.set({ "http.response.status_code": status });
  if (status >= 500) span.fail(String(status));
  else if (status >= 400) span.set({ "error.type": String(status) });
}

/** What a service does with proxied requests, with a span for each that comes with a trace. */
export function traceProxied(handlers: ProxiedHandlers, tracer: Tracer): ProxiedHandlers {
  const { request, upgrade } = handlers;
  return {
    request(req, res) {
      const span = startProxied(req, tracer);
      if (span === undefined) return request(req, res);
      res.once("close", () => {
        if (res.headersSent) tellHttpStatus(span, res.statusCode);
        span.end();
      });
      tracer.within(span, () => request(req, res));
    },
    ...(upgrade === undefined
      ? {}
      : {
          upgrade(req, socket, head) {
            const span = startProxied(req, tracer);
            if (span === undefined) return upgrade(req, socket, head);
            socket.once("close", () => span.end());
            tracer.within(span, () => upgrade(req, socket, head));
          },
        }),
  };
}

/** The edge proxies known paths alone. A query is the client's to write, and is not told. */
function startProxied(req: IncomingMessage, tracer: Tracer): Span | undefined {
  const trace = traceOfHeaders(req.headers);
  if (trace === undefined) return undefined;
  const { method = "GET", url = "/" } = req;
  const [path = "/"] = url.split("?", 1);
  const attributes = { "http.request.method": method, "http.route": path };
  return tracer.resume(`${method} ${path}`, "server", attributes, trace);
}
