import type { IncomingMessage, ServerResponse } from "node:http";
import { GatewayError } from "@tollgate/core/errors";
import { newRequestId } from "@tollgate/core/ids";
import type { Indexed } from "@tollgate/core/indexed-set";
import { dropRestOf } from "@tollgate/http/linger";
import type { Refusals } from "../refusals/refusals.ts";
import type { ErrorForm } from "./error-form.ts";
import type { PendingRequests } from "./pending-requests.ts";
import { type RequestLog, recordRequest } from "./request-log.ts";

/**
 * One request and its response, as every route handler receives it. Its `index` is its position among
 * the pending requests.
 */
export interface RequestContext extends Indexed {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** Headers of the response, errors included. The code that writes the head adds them. */
  readonly headers: ResponseHeaders;
  /** Aborts when the client disconnects before its response is fully written, and by `end`. */
  readonly signal: AbortSignal;
  /** Aborts the request with an error, which ends its response; see `endedBy`. */
  end(error: GatewayError): void;
  /** The path template of the matched route, for metrics and traces. */
  route?: string;
  /** The value of the path parameter, if the route has one. */
  pathParameter?: string;
  /** The requested alias, as soon as it is known. */
  alias?: string;
  /** The key and its account, as soon as they are known. */
  keyId?: string;
  accountId?: string;
  /** See `shownKey`. */
  shownKey?: string;
  /** The form of the error, where it is not the envelope. */
  errorForm?: ErrorForm | undefined;
  /** The error that was sent, if any. */
  failure?: GatewayError;
  /** Set while tracing is enabled. */
  traceId?: string;
}

export type ResponseHeaders = Record<string, string>;

export interface RequestContextOptions extends RequestLog {
  pending: Pick<PendingRequests<RequestContext>, "add" | "remove">;
  refusals: Pick<Refusals, "add">;
  /** Returns whether the catalog has the alias. Metrics carry no other alias. */
  knows(alias: string): boolean;
}

/**
 * Status recorded for a request whose client disconnected before a response was started, after
 * nginx's "client closed request".
 */
export const clientClosedStatus = 499;

/**
 * Creates the context of a request. This is the first step of every request: it assigns the request
 * id, and the request is counted and logged when its response closes.
 */
export function createRequestContext(
  options: RequestContextOptions,
  req: IncomingMessage,
  res: ServerResponse,
): RequestContext {
  const controller = new AbortController();
  const requestId = newRequestId();
  const headers: ResponseHeaders = { "x-request-id": requestId };
  const end = (error: GatewayError) => controller.abort(error);
  const { signal } = controller;
  const context: RequestContext = { req, res, requestId, headers, signal, end, index: -1 };
  const startedAt = performance.now();
  options.pending.add(context);
  res.once("close", () => {
    options.pending.remove(context);
    // The response was sent before the body came; the connection must not wait for it for ever.
    dropRestOf(req);
    if (!res.writableFinished) controller.abort();
    recordEnd(context, performance.now() - startedAt, options);
  });
  return context;
}

/** Returns the error that the gateway ended the request with, if it did before a disconnect. */
export function endedBy({ signal }: RequestContext): GatewayError | undefined {
  return signal.reason instanceof GatewayError ? signal.reason : undefined;
}

/** Returns whether nothing can be written any more, because the client disconnected. */
export function isDisconnected(context: RequestContext): boolean {
  return context.signal.aborted && endedBy(context) === undefined;
}

function recordEnd(context: RequestContext, ms: number, options: RequestContextOptions): void {
  const { req, res, requestId, route = "unknown", traceId, failure, keyId, accountId } = context;
  const alias = context.alias !== undefined && options.knows(context.alias) ? context.alias : "";
  const status = res.headersSent ? res.statusCode : clientClosedStatus;
  const clientDisconnected = !res.writableFinished;
  // A stream may end with an error after its status was sent.
  if (failure?.status === status) options.refusals.add(context, failure);
  recordRequest(options, {
    ...{ req, requestId, route, alias, status, code: failure?.code, keyId, accountId },
    ...{ clientDisconnected, traceId, ms },
  });
}

/**
 * Replaces the request id that the response carries, for a replay of another request's response.
 */
export function replaceRequestId({ headers }: RequestContext, requestId: string): void {
  headers["x-request-id"] = requestId;
  if (headers["inference-id"] !== undefined) headers["inference-id"] = requestId;
}

/** Sets the context's headers on the response, for code that writes its own head. */
export function setHeaders({ res, headers }: RequestContext): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}

const contexts = new WeakMap<IncomingMessage, RequestContext>();

/**
 * Makes `requestContextOf` find the context, for code that receives only the request. Requests that do not
 * need it skip this: weak map entries of short-lived objects are expensive to collect.
 */
export function attachContext(context: RequestContext): void {
  contexts.set(context.req, context);
}

/** Returns the attached context of a request; undefined if there is none. */
export function findRequestContext(req: IncomingMessage): RequestContext | undefined {
  return contexts.get(req);
}

/** Returns the attached context of a request. Throws an Error if there is none. */
export function requestContextOf(req: IncomingMessage): RequestContext {
  const context = findRequestContext(req);
  if (context === undefined) throw new Error("the request has no attached context");
  return context;
}
