import type { IncomingMessage } from "node:http";
import { maskKeys } from "@tollgate/core/key-form";
import type { Log } from "@tollgate/core/log";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import { clientRequestIdOf } from "./client-request-id.ts";
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
  /** The code of the error that was sent, if any. */
  code: string | undefined;
  keyId: string | undefined;
  accountId: string | undefined;
  /** Undefined if it cannot be determined. */
  clientDisconnected?: boolean;
  traceId?: string | undefined;
  ms: number;
}

/** Counts a request that ended, and writes its log line. The line holds no query, no body and no key. */
export function recordRequest(
  { log, metrics }: RequestLog,
  { req, requestId, route, alias, status, ms, ...ended }: EndedRequest,
): void {
  metrics.requests.inc({ route, alias, status });
  metrics.requestDuration.observe({ route, alias }, ms / 1_000);
  const fields = {
    request_id: requestId,
    trace_id: ended.traceId,
    client_request_id: clientRequestIdOf(req.headers) || undefined,
    account_id: ended.accountId,
    key_id: ended.keyId,
    method: req.method,
    path: sentPathOf(req),
    alias,
    status,
    code: ended.code,
    client_disconnected: ended.clientDisconnected,
    ms: Math.round(ms),
  };
  log.info(fields, "request");
}

/** Returns the path of a request as its client sent it, without keys. */
export function sentPathOf({ url = "" }: IncomingMessage): string {
  const address = withoutOrigin(url);
  const mark = address.indexOf("?");
  return maskKeys(mark < 0 ? address : address.slice(0, mark));
}
