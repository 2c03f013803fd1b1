import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { StartError } from "@tollgate/core/errors";
import { bracketed } from "@tollgate/core/listen-host";
import { type StopServer, stopperOf } from "@tollgate/http/stop-server";
import { createAcceptors, listenTogether } from "./acceptors.ts";
import type { ConnectionRefusals } from "./connection-refusals.ts";
import { maxBodyMs } from "./pending-requests.ts";
import { maxBodyBytes } from "./request-body.ts";
import type { Upgrades } from "./upgrades.ts";

/** Longer than the idle timeouts of common load balancers, so that they close first. */
const keepAliveTimeoutMs = 75_000;
const headersTimeoutMs = 30_000;
/** Longer than the longest time for a body, whose timeout sends a response with its request's id. */
const requestTimeoutMs = maxBodyMs(maxBodyBytes) + 60_000;

export interface HttpServer {
  url: string;
  stop: StopServer;
}

/** Listens for clients. Throws a StartError if the port is not available. */
export async function listenForClients(
  app: RequestListener,
  upgrades: Upgrades,
  connectionRefusals: ConnectionRefusals,
  { host, port, isPortShared }: { host: string; port: number; isPortShared: boolean },
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
  const acceptors = createAcceptors(server);
  const stop = stopperOf(server, acceptors);
  server.on("clientError", connectionRefusals.rejectMalformed);
  server.on("upgrade", upgrades.accept);
  server.on("connect", connectionRefusals.rejectConnect);
  // A request with an unknown expectation is an ordinary request, too (RFC 9110, 10.1.1).
  server.on("checkExpectation", (req, res) => server.emit("request", req, res));
  try {
    await listenTogether(server, acceptors, { host, port, isShared: isPortShared });
  } catch (error) {
    throw cannotListen(error as NodeJS.ErrnoException, port);
  }
  const address = server.address() as AddressInfo;
  const isEvery = host === "0.0.0.0" || host === "::";
  return {
    url: `http://${isEvery ? "localhost" : bracketed(host)}:${address.port}`,
    stop,
  };
}

function cannotListen(error: NodeJS.ErrnoException, port: number): StartError {
  if (error.code === "EADDRINUSE") {
    return new StartError(`port ${port} is taken: stop what uses it, or set PORT to another`);
  }
  return new StartError(`cannot listen on port ${port}: ${error.message}`);
}
