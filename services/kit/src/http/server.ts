import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { StartError } from "../errors.ts";
import type { HttpAddress } from "./address.ts";

/** Longer than the edge keeps an idle connection, so that it closes first. */
const keepAliveTimeoutMs = 90_000;
/** The longest that a whole upload may take. */
const requestTimeoutMs = 300_000;

export interface ProxiedServer {
  /** Takes no new connection, waits for answers under way, `graceMs` at most. */
  stop(graceMs: number): Promise<void>;
}

export interface ProxiedHandlers {
  request(req: IncomingMessage, res: ServerResponse): void;
  upgrade?(req: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Serves what the edge proxies to a service. Raises a StartError when the address cannot be had. */
export async function serveProxied(
  address: HttpAddress,
  { request, upgrade }: ProxiedHandlers,
): Promise<ProxiedServer> {
  const server = createServer(
    { keepAliveTimeout: keepAliveTimeoutMs, requestTimeout: requestTimeoutMs, noDelay: true },
    request,
  );
  if (upgrade !== undefined) server.on("upgrade", upgrade);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      reject(new StartError(`cannot listen on ${JSON.stringify(address)}: ${error.message}`));
    });
    if ("socketPath" in address) server.listen(address.socketPath, resolve);
    else server.listen(address.port, address.host, resolve);
  });
  return {
    async stop(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const idle = setInterval(() => server.closeIdleConnections(), 100);
      const force = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearInterval(idle);
      clearTimeout(force);
    },
  };
}
