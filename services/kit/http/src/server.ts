import { createServer, type IncomingMessage } from "node:http";
import { StartError } from "@tollgate/core/errors";
import { requireSecret } from "@tollgate/core/guarded-host";
import type { PeerAuth } from "@tollgate/core/peer-auth";
import type { HttpAddress } from "./address.ts";
import type { ProxiedHandlers } from "./proxied-handlers.ts";
import { type StopServer, stopperOf } from "./stop-server.ts";
import { traceProxied } from "./traced-requests.ts";

/** Longer than the edge's own limit for idle connections, so that the edge closes them first. */
const keepAliveTimeoutMs = 90_000;
/** Longer than the edge's own limit for an upload, so that the edge sends the error. */
const requestTimeoutMs = 80 * 60_000;
/** What a client may send to the edge, 16 KiB, and the models of a key: 100 globs of 200 characters. */
const maxHeaderBytes = 128 * 1024;

export interface ProxiedServer {
  stop: StopServer;
}

/**
 * Serves the requests that the edge proxies to a service. Throws a StartError when it cannot
 * listen, and where other machines can reach the address and no secret keeps them out.
 */
export async function serveProxied(
  address: HttpAddress,
  handlers: ProxiedHandlers,
  peerAuth: PeerAuth,
): Promise<ProxiedServer> {
  if ("host" in address) requireSecret("TOLLGATE_HTTP_LISTEN", address.host, peerAuth);
  const { request, upgrade } = traceProxied(handlers);
  const server = createServer(
    {
      keepAliveTimeout: keepAliveTimeoutMs,
      requestTimeout: requestTimeoutMs,
      maxHeaderSize: maxHeaderBytes,
      noDelay: true,
      shouldUpgradeCallback: (req) => upgrade !== undefined && isWebSocketUpgrade(req),
    },
    request,
  );
  const stop = stopperOf(server);
  if (upgrade !== undefined) server.on("upgrade", upgrade);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      reject(new StartError(`cannot listen on ${JSON.stringify(address)}: ${error.message}`));
    });
    if ("socketPath" in address) server.listen(address.socketPath, resolve);
    else server.listen(address.port, address.host, resolve);
  });
  return { stop };
}

/** Returns whether a request is a WebSocket upgrade. Other upgrades are ignored. */
export function isWebSocketUpgrade({ method, headers }: IncomingMessage): boolean {
  const protocols = headers.upgrade?.split(",").map((name) => name.trim().toLowerCase());
  return method === "GET" && protocols?.includes("websocket") === true;
}
