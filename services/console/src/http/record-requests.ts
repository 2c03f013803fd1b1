import { newRequestId } from "@tollgate/core/ids";
import type { Log } from "@tollgate/core/log";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import type { Request, RequestHandler } from "express";

export interface RequestRecords {
  log: Log;
  metrics: Pick<Metrics, "consoleRequests" | "consoleRequestDuration">;
  /** The paths of the calls, which are the routes of the metrics. */
  calls: ReadonlySet<string>;
}

/** Gives every request an id, counts it, and logs its end. The line holds no query and no body. */
export function recordRequests({ log, metrics, calls }: RequestRecords): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    const requestId = newRequestId();
    const { method, path } = req;
    res.setHeader("x-request-id", requestId);
    res.once("close", () => {
      const ms = performance.now() - startedAt;
      const status = res.statusCode;
      const route = routeOf(req, path, calls);
      metrics.consoleRequests.inc({ route, status });
      metrics.consoleRequestDuration.observe({ route }, ms / 1_000);
      log.info({ request_id: requestId, method, path, status, ms: Math.round(ms) }, "request");
    });
    next();
  };
}

/** Labels of metrics have few values. */
function routeOf({ method }: Request, path: string, calls: ReadonlySet<string>): string {
  if (calls.has(path)) return path;
  return method === "GET" || method === "HEAD" ? "page" : "unknown";
}
