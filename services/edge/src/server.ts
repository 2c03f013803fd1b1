import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { StartError } from "@tollgate/core/errors";
import { type StopServer, stopperOf } from "@tollgate/http/stop-server";
import { createAcceptors, listenTogether } from "./acceptors.ts";
import { answerBrokenHttp, refuseTunnel } from "./error-answer.ts";

/** Longer than the idle time-outs of common load balancers, so that they close first. */
const keepAliveTimeoutMs = 75_000;
const headersTimeoutMs = 30_000;
/** The longest that a client may take to send a whole request. */
const requestTimeoutMs = 300_000;

export interface HttpServer {
  url: string;
  stop: StopServer;
}

/** Takes over the connections of some requests. All others are served as they are. */
export interface Upgrades {
  takes(req: IncomingMessage): boolean;
  accept(req: IncomingMessage, socket: Socket, head: Buffer): void;
}

/** Listens for clients. Raises a StartError when the port cannot be had. */
export async function listen(
  app: RequestListener,
  upgrades: Upgrades,
  { host, port }: { host: string; port: number },
): Promise<HttpServer> {
  const server = createServer(
    {
      keepAliveTimeout: keepAliveTimeoutMs,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      noDelay: true,
      // Node would refuse it without a word; the app refuses it as it does the rest.
      requireHostHeader: false,
      // An upgrade that is offered and not taken leaves an ordinary request (RFC 9110, 7.8).
      shouldUpgradeCallback: upgrades.takes,
    },
    app,
  );
  const acceptors = createAcceptors(server);
  const stop = stopperOf(server, acceptors);
  server.on("clientError", answerBrokenHttp);
  server.on("upgrade", upgrades.accept);
  server.on("connect", (_req, socket) => refuseTunnel(socket));
  // An expectation that is not known leaves an ordinary request, too (RFC 9110, 10.1.1).
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
