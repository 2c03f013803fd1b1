import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type Span, SpanKind } from "@opentelemetry/api";
import {
  failSpan,
  readTraceHeaders,
  type TraceHeaders,
  traceContextOf,
  tracer,
  withSpan,
} from "@tollgate/core/tracing";
import type { ProxiedHandlers } from "./proxied-handlers.ts";

/** Returns the trace context that a request's headers carry. */
export function traceHeadersOf(headers: IncomingHttpHeaders): TraceHeaders | undefined {
  return readTraceHeaders((name) => headers[name]?.toString());
}

/** Records the status of a response on the span of its request. */
export function recordHttpStatus(span: Span, status: number): void {
  span.setAttribute("http.response.status_code", status);
  if (status >= 500) failSpan(span, String(status));
  else if (status >= 400) span.setAttribute("error.type", String(status));
}

/** Wraps the handlers of proxied requests in a span for each request that carries a trace. */
export function traceProxied({ request, upgrade }: ProxiedHandlers): ProxiedHandlers {
  const traced: ProxiedHandlers = {
    request(req, res) {
      const span = startProxied(req);
      if (span === undefined) return request(req, res);
      res.once("close", () => {
        if (res.headersSent) recordHttpStatus(span, res.statusCode);
        span.end();
      });
      withSpan(span, () => request(req, res));
    },
  };
  if (upgrade === undefined) return traced;
  return { ...traced, upgrade: traceUpgrade(upgrade) };
}

function traceUpgrade(upgrade: NonNullable<ProxiedHandlers["upgrade"]>) {
  return (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    const span = startProxied(req);
    if (span === undefined) return upgrade(req, socket, head);
    socket.once("close", () => span.end());
    withSpan(span, () => upgrade(req, socket, head));
  };
}

/**
 * Starts the span of a request that carries a trace. Its path is recorded, because the edge proxies
 * known paths only. Its query may have any content, so it is not recorded.
 */
function startProxied(req: IncomingMessage): Span | undefined {
  const headers = traceHeadersOf(req.headers);
  if (headers === undefined) return undefined;
  const { method = "GET", url = "/" } = req;
  const [path = "/"] = url.split("?", 1);
  const attributes = { "http.request.method": method, "http.route": path };
  const options = { kind: SpanKind.SERVER, attributes };
  return tracer.startSpan(`${method} ${path}`, options, traceContextOf(headers));
}
