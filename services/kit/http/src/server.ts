import { createServer, type IncomingMessage } from "node:http";
import { StartError } from "@tollgate/core/errors";
import type { HttpAddress } from "./address.ts";
import type { ProxiedHandlers } from "./proxied-handlers.ts";
import { type StopServer, stopperOf } from "./stop-server.ts";
import { traceProxied } from "./traced-requests.ts";

/** Longer than the edge keeps an idle connection, so that it closes first. */
const keepAliveTimeoutMs = 90_000;
/** Longer than a whole upload may take, which the edge refuses in words. */
const requestTimeoutMs = 360_000;

export interface ProxiedServer {
  stop: StopServer;
}

/**
 * Serves what the edge proxies to a service. Raises a StartError when the address cannot be had.
 */
export async function serveProxied(
  address: HttpAddress,
  handlers: ProxiedHandlers,
): Promise<ProxiedServer> {
  const { request, upgrade } = traceProxied(handlers);
  const server = createServer(
    {
      keepAliveTimeout: keepAliveTimeoutMs,
      requestTimeout: requestTimeoutMs,
      noDelay: true,
      shouldUpgradeCallback: (req) => upgrade !== undefined && asksForWebSocket(req),
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

/**
 * Whether a request asks to become a WebSocket. Any other upgrade that it offers may be declined.
 */
export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  const offered = headers.upgrade?.split(",").map((name) => name.trim().toLowerCase());
  return method === "GET" && offered?.includes("websocket") === true;
}
