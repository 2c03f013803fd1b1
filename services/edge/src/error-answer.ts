import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { GatewayError } from "@tollgate/core/errors";
import { newRequestId } from "@tollgate/core/ids";
import type { Log } from "@tollgate/core/log";
import {
  notFound,
  sendError,
  sendErrorOnSocket,
  toGatewayError,
} from "@tollgate/http/error-response";
import type { ErrorRequestHandler, RequestHandler } from "express";
import { type Exchange, exchangeOf, setHeaders } from "./exchange.ts";

/** The end of every failed request: the envelope, unless the answer has begun already. */
export function answerFailure(exchange: Exchange, error: unknown, log: Log): void {
  const { res, signal } = exchange;
  if (signal.aborted) return void res.destroy();
  const failure = toGatewayError(error, log);
  exchange.failure = failure;
  if (res.headersSent) return void res.destroy();
  setHeaders(exchange);
  sendError(res, failure);
}

/** The same for what is raised before a route is met. */
export function answerErrors(log: Log): ErrorRequestHandler {
  return (error, req, _res, _next) => answerFailure(exchangeOf(req), error, log);
}

export const refuseUnknownPath: RequestHandler = () => {
  throw notFound();
};

/** Refuses a known path's other methods, naming those it takes. */
export function refuseOtherMethods(...allowed: string[]): RequestHandler {
  return (req, res) => {
    res.setHeader("allow", allowed.join(", "));
    throw new GatewayError("method_not_allowed", `${req.method} is not taken here.`);
  };
}

/** Answers a CONNECT, which has no response of its own. */
export function refuseTunnel(socket: Duplex): void {
  socket.on("error", () => {});
  sendErrorOnSocket(socket, notFound(), { "x-request-id": newRequestId() });
}

/** A client's connection; Node keeps the response under way on it. */
interface ClientSocket extends Duplex {
  _httpMessage?: ServerResponse | null;
}

/** Answers what Node's parser refuses before there is a request; such a connection ends. */
export function answerBrokenHttp({ code }: NodeJS.ErrnoException, socket: ClientSocket): void {
  // Behind a head that is out, a refusal would be read as a part of that answer.
  if (socket._httpMessage?.headersSent) return void socket.destroy();
  const message =
    code === "ERR_HTTP_REQUEST_TIMEOUT"
      ? "The request did not come whole in the time that it may take."
      : "The request is not well-formed HTTP.";
  const refusal = new GatewayError("invalid_json", message);
  sendErrorOnSocket(socket, refusal, { "x-request-id": newRequestId() });
}
