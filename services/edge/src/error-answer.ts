import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { envelope, GatewayError, internalError, PeerError } from "@tollgate/kit/errors";
import { newRequestId } from "@tollgate/kit/ids";
import type { Log } from "@tollgate/kit/log";
import type { ErrorRequestHandler, RequestHandler, Response } from "express";
import { exchangeOf } from "./exchange.ts";

/** Turns whatever a route raised into the error that the client is told. */
export function toGatewayError(error: unknown, log: Log): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof PeerError) {
    log.error({ reason: error.message }, "a service of the fleet did not answer");
    const message = "A part of the gateway cannot be reached now. Retry in a moment.";
    return new GatewayError("no_provider_available", message, { cause: error });
  }
  if (error instanceof URIError) return notFound();
  log.error({ err: error }, "request failed");
  return internalError(error);
}

/** The end of every failed request: the envelope, unless the answer has begun already. */
export function answerErrors(log: Log): ErrorRequestHandler {
  return (error, req, res, _next) => {
    if (exchangeOf(req).signal.aborted) return void res.destroy();
    const failure = toGatewayError(error, log);
    if (res.headersSent) return void res.destroy();
    sendError(res, failure);
  };
}

export function sendError(res: Response, error: GatewayError): void {
  if (error.code === "idempotency_key_reused") res.setHeader("x-should-retry", "false");
  if (error.code === "invalid_api_key") res.setHeader("www-authenticate", "Bearer");
  if (error.retryAfterSeconds !== undefined) {
    res.setHeader("retry-after", String(error.retryAfterSeconds));
    res.setHeader("x-should-retry", "true");
  }
  res.status(error.status).json(envelope(error));
}

export function notFound(): GatewayError {
  return new GatewayError("not_found", "There is nothing at this address.");
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

/** Answers what Node's parser refuses before there is a request; such a connection ends. */
export function answerBrokenHttp(_error: Error, socket: Duplex): void {
  if (!socket.writable) return;
  const refusal = new GatewayError("invalid_json", "The request is not well-formed HTTP.");
  const body = JSON.stringify(envelope(refusal));
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    `x-request-id: ${newRequestId()}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
