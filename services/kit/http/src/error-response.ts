import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { isDatabaseAway } from "@tollgate/core/database-away";
import {
  envelope,
  GatewayError,
  internalError,
  PeerError,
  serviceUnavailable,
} from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { endAfterRequest, endSocket } from "./linger.ts";
import { headersOfRates } from "./rate-headers.ts";

/**
 * Returns the error that the client is sent for an error that its request threw. Logs an error that
 * is not the client's.
 */
export function toGatewayError(error: unknown, log: Log): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof PeerError) {
    logPeerFailure(error, log);
    return serviceUnavailable(error);
  }
  log.error({ err: error }, "request failed");
  return isDatabaseAway(error) ? serviceUnavailable(error) : internalError(error);
}

/** Logs that a call to another service failed. */
export function logPeerFailure({ message: reason }: Error, log: Log): void {
  log.error({ reason }, "a call to another service failed");
}

export function notFound(): GatewayError {
  return new GatewayError("not_found", "There is no resource at this address.");
}

/**
 * Sends the error envelope, or the `form` of the error, also while the request's body is still being
 * received: see `endAfterRequest`. Headers that are already set are sent, too.
 */
export function writeError(res: ServerResponse, error: GatewayError, form?: object): void {
  const body = bodyOf(error, form);
  res.writeHead(error.status, { ...headersOf(error), "content-length": body.byteLength });
  if (res.req.method !== "HEAD") res.write(body);
  endAfterRequest(res.req, res);
}

/** Does the same and closes the connection, without the rest of the request's body. */
export function writeLastError(res: ServerResponse, error: GatewayError, form?: object): void {
  const body = bodyOf(error, form);
  const length = { "content-length": body.byteLength, connection: "close" };
  res.writeHead(error.status, { ...headersOf(error), ...length });
  res.end(body);
}

/** Sends the error envelope on a socket without a response object, and closes the connection. */
export function writeErrorOnSocket(
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

function bodyOf(error: GatewayError, form: object = envelope(error)): Buffer {
  return Buffer.from(JSON.stringify(form));
}

function headersOf(error: GatewayError): Record<string, string> {
  const headers: Record<string, string> = { "content-type": "application/json; charset=utf-8" };
  if (error.code === "idempotency_key_reused" || error.isPermanent) {
    headers["x-should-retry"] = "false";
  }
  if (error.code === "invalid_api_key") headers["www-authenticate"] = "Bearer";
  if (error.retryAfterSeconds !== undefined) {
    headers["retry-after"] = String(error.retryAfterSeconds);
    headers["x-should-retry"] = "true";
  }
  return error.rates === undefined ? headers : { ...headers, ...headersOfRates(error.rates) };
}
