import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { unknownParam } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import type { PeerAuth } from "@tollgate/core/peer-auth";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { answerError, answerErrorOnSocket, notFound, toGatewayError } from "./error-response.ts";
import { readStampedCaller } from "./forwarded-caller.ts";

/** A request that the edge has authenticated and handed on. */
export interface ProxiedRequest {
  req: IncomingMessage;
  res: ServerResponse;
  caller: Caller;
  /** Aborts when the client leaves before its answer is written. */
  signal: AbortSignal;
}

export type ProxiedRoute = (request: ProxiedRequest) => Promise<void>;

/**
 * Serves proxied requests by their paths, which take no query. What a route raises is answered with
 * the envelope, unless the answer has begun.
 */
export function serveRoutes(
  routes: Readonly<Record<string, ProxiedRoute>>,
  { log, peerAuth }: { log: Log; peerAuth: PeerAuth },
) {
  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const left = new AbortController();
    res.once("close", () => {
      if (!res.writableFinished) left.abort(new Error("the client left"));
    });
    try {
      const route = routeOf(routes, req);
      await route({
        req,
        res,
        caller: readStampedCaller(req.headers, peerAuth),
        signal: left.signal,
      });
    } catch (error) {
      if (left.signal.aborted) return void res.destroy();
      const failure = toGatewayError(error, log);
      if (res.headersSent) return void res.destroy();
      answerError(res, failure);
    }
  }
  return (req: IncomingMessage, res: ServerResponse): void => void serve(req, res);
}

export type AcceptUpgrade = (
  req: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  caller: Caller,
) => void;

/**
 * Hands proxied upgrades on. One that the edge has not stamped is refused as a request would be.
 */
export function serveUpgrades(
  accept: AcceptUpgrade,
  { log, peerAuth }: { log: Log; peerAuth: PeerAuth },
): (req: IncomingMessage, socket: Duplex, head: Buffer) => void {
  return (req, socket, head) => {
    socket.on("error", () => {});
    try {
      accept(req, socket, head, readStampedCaller(req.headers, peerAuth));
    } catch (error) {
      answerErrorOnSocket(socket, toGatewayError(error, log), {});
    }
  };
}

function routeOf(
  routes: Readonly<Record<string, ProxiedRoute>>,
  { url = "/" }: IncomingMessage,
): ProxiedRoute {
  const { pathname, searchParams } = new URL(url, "http://edge");
  const route = Object.hasOwn(routes, pathname) ? routes[pathname] : undefined;
  if (route === undefined) throw notFound();
  const [name] = searchParams.keys();
  if (name !== undefined) throw unknownParam(name);
  return route;
}

/** Answers 200, or another status of success, with JSON as it is. */
export function sendJsonBytes(res: ServerResponse, body: Uint8Array, status = 200): void {
  res.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": body.byteLength,
  });
  res.end(body);
}
