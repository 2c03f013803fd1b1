import type { IncomingMessage, ServerResponse } from "node:http";
import type { GatewayError } from "@tollgate/core/errors";
import { newRequestId } from "@tollgate/core/ids";
import type { Log } from "@tollgate/core/log";
import type { Metrics } from "@tollgate/runtime/operations/metrics";

/** One request and its answer, as every route is handed it. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** Of its answer, whatever that will be. Who writes the head puts them in. */
  readonly headers: AnswerHeaders;
  /** Aborts when the client goes away before its answer is written. */
  readonly signal: AbortSignal;
  /** The path of the route that it met, for what is counted. */
  route?: string;
  /** What stands in the address for that path's parameter, where it has one. */
  pathParameter?: string;
  /** The alias that it asks for, as far as it is known. */
  alias?: string;
  /** What it is answered with, where that is an error. */
  failure?: GatewayError;
  /** Where traces are on. */
  traceId?: string;
}

export type AnswerHeaders = Record<string, string>;

export type Route = (exchange: Exchange) => Promise<void>;

const exchanges = new WeakMap<IncomingMessage, Exchange>();

export interface ExchangeParts {
  log: Log;
  metrics: Pick<Metrics, "requests" | "requestDuration">;
  /** Whether an alias is in the catalog: no other is counted by its name. */
  knows(alias: string): boolean;
}

/**
 * The first thing done for a request: it gets its id, and is counted and told in the log when it
 * ends.
 */
export function openExchange(
  parts: ExchangeParts,
  req: IncomingMessage,
  res: ServerResponse,
): Exchange {
  const controller = new AbortController();
  const requestId = newRequestId();
  const headers: AnswerHeaders = { "x-request-id": requestId };
  const exchange: Exchange = { req, res, requestId, headers, signal: controller.signal };
  const startedAt = performance.now();
  res.once("close", () => {
    if (!res.writableFinished) controller.abort();
    tellEnd(exchange, performance.now() - startedAt, parts);
  });
  return exchange;
}

/** What a request is counted as whose client left before it was told anything, as nginx has it. */
export const leftStatus = 499;

function tellEnd(exchange: Exchange, ms: number, parts: ExchangeParts): void {
  const { req, res, requestId, route = "unknown", traceId } = exchange;
  const alias = exchange.alias !== undefined && parts.knows(exchange.alias) ? exchange.alias : "";
  const status = res.headersSent ? res.statusCode : leftStatus;
  const clientLeft = !res.writableFinished;
  tellRequest(parts, { req, requestId, route, alias, status, clientLeft, traceId, ms });
}

/** A request that has ended, as it is counted and told in the log. */
export interface EndedRequest {
  req: IncomingMessage;
  requestId: string;
  route: string;
  /** Empty where it is none of the catalog's. */
  alias: string;
  status: number;
  /** Undefined where nobody can tell. */
  clientLeft?: boolean;
  traceId?: string | undefined;
  ms: number;
}

export function tellRequest(
  { log, metrics }: Pick<ExchangeParts, "log" | "metrics">,
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

/** The path and query of an address, which may be a whole URL (RFC 9112, 3.2.2). */
export function withoutOrigin(url: string): string {
  return url.startsWith("/") ? url : url.replace(/^\w+:\/\/[^/?]*/, "");
}

/** Names the answer by another request's id: the one that it was first given to. */
export function nameExchange({ headers }: Exchange, requestId: string): void {
  headers["x-request-id"] = requestId;
  if (headers["inference-id"] !== undefined) headers["inference-id"] = requestId;
}

/** Sets them for whoever writes a head of its own. */
export function setHeaders({ res, headers }: Exchange): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}

/**
 * Lets `exchangeOf` find it, for whoever is handed the request alone. Not done for every request:
 * the garbage collector pays dearly for weak maps of what lives shortly.
 */
export function rememberExchange(exchange: Exchange): void {
  exchanges.set(exchange.req, exchange);
}

/** The exchange of a request that is remembered. */
export function exchangeOf(req: IncomingMessage): Exchange {
  const exchange = exchanges.get(req);
  if (exchange === undefined) throw new Error("a route runs inside an exchange");
  return exchange;
}
