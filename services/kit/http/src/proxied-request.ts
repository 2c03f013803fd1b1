import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type Cancellable, Cancellation } from "@tollgate/core/cancellation";
import { unknownParam } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import type { PeerAuth } from "@tollgate/core/peer-auth";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { Departures } from "./departure.ts";
import { notFound, toGatewayError, writeError, writeErrorOnSocket } from "./error-response.ts";
import { readForwardedCaller } from "./forwarded-caller.ts";
import { headerOfError } from "./forwarded-error.ts";
import type { UploadSpace } from "./upload-space.ts";

/** A request that the edge has authenticated and proxied to this service. */
export interface ProxiedRequest {
  req: IncomingMessage;
  res: ServerResponse;
  caller: Caller;
  /** The disk space for uploads. */
  uploads: UploadSpace;
  /**
   * The client leaves when the edge says that it disconnected. A connection that breaks by itself ends the
   * call as a failure of the edge.
   */
  cancellation: Cancellable;
}

export type ProxiedRoute = (request: ProxiedRequest) => Promise<void>;

/**
 * Returns a handler that calls the route of each proxied request by its path. Routes take no query
 * parameters. An error that a route throws is sent as the error envelope; where the response has
 * already begun, the connection is closed instead.
 */
export function serveRoutes(
  routes: Readonly<Record<string, ProxiedRoute>>,
  { log, peerAuth, uploads }: { log: Log; peerAuth: PeerAuth; uploads: UploadSpace },
) {
  const departures = new Departures();
  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (departures.accept(req)) return;
    const cancellation = new Cancellation();
    departures.watch(req, cancellation);
    res.once("close", () => {
      if (!res.writableFinished) cancellation.lose();
    });
    try {
      const route = routeOf(routes, req);
      await route({
        req,
        res,
        caller: readForwardedCaller(req.headers, peerAuth),
        uploads,
        cancellation,
      });
    } catch (error) {
      if (cancellation.hasLeft || cancellation.isAborted) return void res.destroy();
      const failure = toGatewayError(error, log);
      if (res.headersSent) return void res.destroy();
      for (const [name, value] of Object.entries(headerOfError(failure)))
        res.setHeader(name, value);
      writeError(res, failure);
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

/** Returns a handler of upgrades that calls `accept`, and refuses upgrades that the edge did not send. */
export function serveUpgrades(
  accept: AcceptUpgrade,
  { log, peerAuth }: { log: Log; peerAuth: PeerAuth },
): (req: IncomingMessage, socket: Duplex, head: Buffer) => void {
  return (req, socket, head) => {
    socket.on("error", () => {});
    try {
      accept(req, socket, head, readForwardedCaller(req.headers, peerAuth));
    } catch (error) {
      const failure = toGatewayError(error, log);
      writeErrorOnSocket(socket, failure, headerOfError(failure));
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

/** Sends JSON that is already encoded, with 200 or another 2xx status. */
export function sendJsonBytes(res: ServerResponse, body: Uint8Array, status = 200): void {
  res.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": body.byteLength,
  });
  res.end(body);
}
