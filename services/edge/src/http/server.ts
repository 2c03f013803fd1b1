import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { StartError } from "@tollgate/core/errors";
import { type StopServer, stopperOf } from "@tollgate/http/stop-server";
import { createAcceptors, listenTogether } from "./acceptors.ts";
import { closeAfterResponses } from "./close-after-responses.ts";
import { rejectConnect, rejectMalformedHttp } from "./error-response.ts";
import type { Upgrades } from "./upgrades.ts";

/** Longer than the idle timeouts of common load balancers, so that they close first. */
const keepAliveTimeoutMs = 75_000;
const headersTimeoutMs = 30_000;
/** A client must send its complete request within this time. */
const requestTimeoutMs = 300_000;

export interface HttpServer {
  url: string;
  stop: StopServer;
}

/**
 * Listens for clients. Once `leaving` aborts, every response closes its connection, so that clients
 * connect to another replica before this one stops. Throws a StartError if the port is
 * not available.
 */
export async function listen(
  app: RequestListener,
  upgrades: Upgrades,
  { host, port, leaving }: { host: string; port: number; leaving: AbortSignal },
): Promise<HttpServer> {
  const server = createServer(
    {
      keepAliveTimeout: keepAliveTimeoutMs,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      noDelay: true,
      // Node rejects a request without a Host header with an empty body; the app sends an envelope.
      requireHostHeader: false,
      // A request whose upgrade is not taken is an ordinary request (RFC 9110, 7.8).
      shouldUpgradeCallback: (req) => upgrades.routeOf(req) !== undefined,
    },
    app,
  );
  closeAfterResponses(server, leaving);
  const acceptors = createAcceptors(server);
  const stop = stopperOf(server, acceptors);
  server.on("clientError", rejectMalformedHttp);
  server.on("upgrade", upgrades.accept);
  server.on("connect", (_req, socket) => rejectConnect(socket));
  // A request with an unknown expectation is an ordinary request, too (RFC 9110, 10.1.1).
  server.on("checkExpectation", (req, res) => server.emit("request", req, res));
  try {
    await listenTogether(server, acceptors, { host, port });
  } catch (error) {
    throw cannotListen(error as NodeJS.ErrnoException, port);
  }
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host === "0.0.0.0" || host === "::" ? "localhost" : host}:${address.port}`,
    stop,
  };
}

function cannotListen(error: NodeJS.ErrnoException, port: number): StartError {
  if (error.code === "EADDRINUSE") {
    return new StartError(`port ${port} is taken: stop what uses it, or set PORT to another`);
  }
  return new StartError(`cannot listen on port ${port}: ${error.message}`);
}
