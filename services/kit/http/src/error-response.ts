import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import {
  envelope,
  GatewayError,
  internalError,
  PeerError,
  serviceUnavailable,
} from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { endAfterRequest, endSocket } from "./linger.ts";

/** Turns whatever a request raised into the error that the client is told. */
export function toGatewayError(error: unknown, log: Log): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof PeerError) {
    logUnanswered(error, log);
    return serviceUnavailable(error);
  }
  log.error({ err: error }, "request failed");
  return internalError(error);
}

/** Notes that a service of the fleet could not be asked, for those who run it. */
export function logUnanswered({ message: reason }: Error, log: Log): void {
  log.error({ reason }, "a service of the fleet did not answer");
}

export function notFound(): GatewayError {
  return new GatewayError("not_found", "There is nothing at this address.");
}

/**
 * Answers with the envelope, also while the request's body is still to come: see `endAfterRequest`.
 * Headers that were set before stay.
 */
export function answerError(res: ServerResponse, error: GatewayError): void {
  const body = bodyOf(error);
  res.writeHead(error.status, { ...headersOf(error), "content-length": body.byteLength });
  if (res.req.method !== "HEAD") res.write(body);
  endAfterRequest(res.req, res);
}

/** The same on a bare socket, for a request that never got a response; the connection ends. */
export function answerErrorOnSocket(
  socket: Duplex,
  error: GatewayError,
  headers: Record<string, string>,
): void {
  if (!socket.writable) return;
  const body = bodyOf(error);
  const all: Record<string, string> = {
    ...headers,
    ...headersOf(error),
    "content-length": String(body.byteLength),
    connection: "close",
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${head.join("")}\r\n`);
  endSocket(socket, body);
}

function bodyOf(error: GatewayError): Buffer {
  return Buffer.from(JSON.stringify(envelope(error)));
}

function headersOf(error: GatewayError): Record<string, string> {
  const headers: Record<string, string> = { "content-type": "application/json; charset=utf-8" };
  if (error.code === "idempotency_key_reused") headers["x-should-retry"] = "false";
  if (error.code === "invalid_api_key") headers["www-authenticate"] = "Bearer";
  if (error.retryAfterSeconds !== undefined) {
    headers["retry-after"] = String(error.retryAfterSeconds);
    headers["x-should-retry"] = "true";
  }
  return headers;
}
