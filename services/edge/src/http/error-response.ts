import { isDatabaseAway } from "@tollgate/core/database-away";
import { GatewayError, internalError, PeerError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import {
  logPeerFailure,
  notFound,
  toGatewayError,
  writeError,
  writeLastError,
} from "@tollgate/http/error-response";
import type { ErrorRequestHandler, RequestHandler } from "express";
import type { ErrorForm } from "./error-form.ts";
import {
  isDisconnected,
  type RequestContext,
  requestContextOf,
  setHeaders,
} from "./request-context.ts";

/** Ends a failed request with the error envelope, or aborts a response that already started. */
export function sendError(context: RequestContext, error: unknown, log: Log): void {
  const { res } = context;
  if (isDisconnected(context)) return void res.destroy();
  const failure = toGatewayError(error, log);
  context.failure = failure;
  if (res.headersSent) return void res.destroy();
  setHeaders(context);
  writeError(res, failure, bodyOf(context, failure));
}

/**
 * Ends a request whose client sends its body too slowly, and closes its connection. The rest of the
 * body is not read: a request that was refused must not run after all.
 */
export function sendBodyTimeout(context: RequestContext): void {
  const { req, res } = context;
  if (res.headersSent) return void res.destroy();
  req.unpipe();
  req.pause();
  const message = "The body was not received in the time allowed.";
  const failure = new GatewayError("invalid_json", message);
  context.failure = failure;
  setHeaders(context);
  // A reader of the body gets the error that Node emits for a client that disconnected.
  req.socket.once("close", () => req.destroy(cutOff()));
  writeLastError(res, failure, bodyOf(context, failure));
}

function bodyOf({ errorForm, requestId }: RequestContext, error: GatewayError): object | undefined {
  return errorForm?.bodyOf(error, requestId);
}

function cutOff(): Error {
  return Object.assign(new Error("the body was cut off"), { code: "ECONNRESET" });
}

/** Returns the express middleware that sends errors thrown before a route is matched. */
export function sendRoutingErrors(log: Log): ErrorRequestHandler {
  return (error, req, _res, _next) => sendError(requestContextOf(req), error, log);
}

export const rejectUnknownPath: RequestHandler = () => {
  throw notFound();
};

/**
 * Returns the middleware that rejects the other methods of a route's path, in the form of its errors, and
 * names the allowed ones.
 */
export function rejectOtherMethods(
  route: string,
  allowed: readonly string[],
  errorForm: ErrorForm | undefined,
): RequestHandler {
  return (req, res) => {
    const context = requestContextOf(req);
    context.route = route;
    context.errorForm = errorForm;
    res.setHeader("allow", allowed.join(", "));
    throw new GatewayError("method_not_allowed", `${req.method} is not allowed here.`);
  };
}

/**
 * Returns the error to send on a route that calls no provider. There, a service of the fleet or a database that
 * cannot be reached is an internal error: `no_provider_available` would name the wrong cause.
 */
export function toInternalError(error: unknown, log: Log): unknown {
  if (!(error instanceof PeerError) && !isDatabaseAway(error)) return error;
  logPeerFailure(error as Error, log);
  return internalError(error);
}
