import { newRequestId } from "@tollgate/kit/ids";
import type { Log } from "@tollgate/kit/log";
import type { NextFunction, Request, RequestHandler, Response } from "express";

/** One request and its answer, as every route is handed it. */
export interface Exchange {
  readonly req: Request;
  readonly res: Response;
  readonly requestId: string;
  /** Aborts when the client goes away before its answer is written. */
  readonly signal: AbortSignal;
}

export type Route = (exchange: Exchange) => Promise<void>;

const exchanges = new WeakMap<Request, Exchange>();

/** The first thing done for every request: it gets its id, and a line in the log when it ends. */
export function openExchange(log: Log): RequestHandler {
  return (req, res, next) => {
    const requestId = newRequestId();
    const startedAt = performance.now();
    const controller = new AbortController();
    res.setHeader("x-request-id", requestId);
    res.once("close", () => {
      const { statusCode, writableFinished } = res;
      if (!writableFinished) controller.abort();
      const fields = {
        request_id: requestId,
        client_request_id: req.get("x-request-id"),
        method: req.method,
        path: req.path,
        status: statusCode,
        client_left: !writableFinished,
        ms: Math.round(performance.now() - startedAt),
      };
      log.info(fields, "request");
    });
    exchanges.set(req, { req, res, requestId, signal: controller.signal });
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
export function handle(route: Route): RequestHandler {
  return (req: Request, _res: Response, next: NextFunction) => {
    route(exchangeOf(req)).catch(next);
  };
}
