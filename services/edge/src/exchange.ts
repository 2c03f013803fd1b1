import { newRequestId } from "@tollgate/kit/ids";
import type { Log } from "@tollgate/kit/log";
import type { Metrics } from "@tollgate/kit/operations/metrics";
import type { NextFunction, Request, RequestHandler, Response } from "express";

/** One request and its answer, as every route is handed it. */
export interface Exchange {
  readonly req: Request;
  readonly res: Response;
  readonly requestId: string;
  /** Aborts when the client goes away before its answer is written. */
  readonly signal: AbortSignal;
  /** The path of the route that it met, for what is counted. */
  route?: string;
  /** The alias that it asks for, as far as it is known. */
  alias?: string;
}

export type Route = (exchange: Exchange) => Promise<void>;

const exchanges = new WeakMap<Request, Exchange>();

export interface ExchangeParts {
  log: Log;
  metrics: Pick<Metrics, "requests" | "requestDuration">;
  /** Whether an alias is in the catalog: no other is counted by its name. */
  knows(alias: string): boolean;
}

/**
 * The first thing done for every request: it gets its id, and is counted and told in the log when it
 * ends.
 */
export function openExchange({ log, metrics, knows }: ExchangeParts): RequestHandler {
  return (req, res, next) => {
    const requestId = newRequestId();
    const startedAt = performance.now();
    const controller = new AbortController();
    res.setHeader("x-request-id", requestId);
    res.once("close", () => {
      const { statusCode, writableFinished } = res;
      if (!writableFinished) controller.abort();
      const { route = "unknown" } = exchange;
      const alias = exchange.alias !== undefined && knows(exchange.alias) ? exchange.alias : "";
      const ms = performance.now() - startedAt;
      metrics.requests.inc({ route, alias, status: statusCode });
      metrics.requestDuration.observe({ route, alias }, ms / 1_000);
      const fields = {
        request_id: requestId,
        client_request_id: req.get("x-request-id"),
        method: req.method,
        path: req.path,
        alias,
        status: statusCode,
        client_left: !writableFinished,
        ms: Math.round(ms),
      };
      log.info(fields, "request");
    });
    const exchange: Exchange = { req, res, requestId, signal: controller.signal };
    exchanges.set(req, exchange);
    next();
  };
}

/** Names the answer by another request's id: the one that it was first given to. */
export function nameExchange({ res }: Exchange, requestId: string): void {
  res.setHeader("x-request-id", requestId);
  if (res.hasHeader("inference-id")) res.setHeader("inference-id", requestId);
}

export function exchangeOf(req: Request): Exchange {
  const exchange = exchanges.get(req);
  if (exchange === undefined) throw new Error("a route runs inside an exchange");
  return exchange;
}

/** A route as express calls it: what it raises goes to the error answer. */
export function handle(path: string, route: Route): RequestHandler {
  return (req: Request, _res: Response, next: NextFunction) => {
    const exchange = exchangeOf(req);
    exchange.route = path;
    route(exchange).catch(next);
  };
}
