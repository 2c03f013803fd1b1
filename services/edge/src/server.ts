import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { StartError } from "@tollgate/kit/errors";
import { answerBrokenHttp } from "./error-answer.ts";

/** Longer than the idle time-outs of common load balancers, so that they close first. */
const keepAliveTimeoutMs = 75_000;
const headersTimeoutMs = 30_000;
/** The longest that a client may take to send a whole request. */
const requestTimeoutMs = 300_000;

export interface HttpServer {
  url: string;
  /** Takes no new connection, waits for answers under way, `graceMs` at most. */
  stop(graceMs: number): Promise<void>;
}

export type UpgradeListener = (req: IncomingMessage, socket: Socket, head: Buffer) => void;

/** Listens for clients. Raises a StartError when the port cannot be had. */
export async function listen(
  app: RequestListener,
  upgrade: UpgradeListener,
  { host, port }: { host: string; port: number },
): Promise<HttpServer> {
  const server = createServer(
    {
      keepAliveTimeout: keepAliveTimeoutMs,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      noDelay: true,
    },
    app,
  );
  server.on("clientError", answerBrokenHttp);
  server.on("upgrade", upgrade);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(cannotListen(error, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host === "0.0.0.0" || host === "::" ? "localhost" : host}:${address.port}`,
    stop: (graceMs) => stopServer(server, graceMs),
  };
}

async function stopServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  const force = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(force);
}

function cannotListen(error: NodeJS.ErrnoException, port: number): StartError {
  if (error.code === "EADDRINUSE") {
    return new StartError(`port ${port} is taken: stop what uses it, or set PORT to another`);
  }
  return new StartError(`cannot listen on port ${port}: ${error.message}`);
}
