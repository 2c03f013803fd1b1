import type { IncomingMessage } from "node:http";
import type { Log } from "@tollgate/core/log";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import { withoutOrigin } from "./url.ts";

/** Where ended requests are counted and logged. */
export interface RequestLog {
  log: Log;
  metrics: Pick<Metrics, "requests" | "requestDuration">;
}

export interface EndedRequest {
  req: IncomingMessage;
  requestId: string;
  /** The path template of the route, or `unknown`. */
  route: string;
  /** Empty unless the catalog has it. */
  alias: string;
  status: number;
  /** Undefined if it cannot be determined. */
  clientLeft?: boolean;
  traceId?: string | undefined;
  ms: number;
}

/** Counts a request that ended, and writes its log line. The line holds no query and no body. */
export function recordRequest(
  { log, metrics }: RequestLog,
  { req, requestId, route, alias, status, clientLeft, traceId, ms }: EndedRequest,
): void {
  metrics.requests.inc({ route, alias, status });
  metrics.requestDuration.observe({ route, alias }, ms / 1_000);
  const fields = {
    request_id: requestId,
    trace_id: traceId,
    client_request_id: req.headers["x-request-id"],
    method: req.method,
    path: pathOf(req),
    alias,
    status,
    client_left: clientLeft,
    ms: Math.round(ms),
  };
  log.info(fields, "request");
}

function pathOf({ url = "" }: IncomingMessage): string {
  const address = withoutOrigin(url);
  const mark = address.indexOf("?");
  return mark < 0 ? address : address.slice(0, mark);
}
