import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { StartError } from "@tollgate/core/errors";
import { bracketed } from "@tollgate/core/listen-host";
import type { HttpAddress } from "@tollgate/http/address";
import { type StopServer, stopperOf } from "@tollgate/http/stop-server";

/** Longer than the idle timeouts of common load balancers, so that they close first. */
const keepAliveTimeoutMs = 75_000;
const headersTimeoutMs = 30_000;
const requestTimeoutMs = 60_000;

export interface ConsoleServer {
  /** Where it listens; undefined for a Unix socket. */
  url: string | undefined;
  stop: StopServer;
}

/**
 * Listens for browsers and programs. Throws a StartError, which names the variable, if the address is not
 * available.
 */
export async function listenForOperators(
  app: RequestListener,
  address: HttpAddress,
  variable: string,
): Promise<ConsoleServer> {
  const server = createServer(
    {
      keepAliveTimeout: keepAliveTimeoutMs,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
    },
    app,
  );
  const stop = stopperOf(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(cannotListen(error, address, variable)),
    );
    if ("socketPath" in address) server.listen(address.socketPath, resolve);
    else server.listen(address.port, address.host, resolve);
  });
  return { url: urlOf(address, server.address()), stop };
}

function urlOf(address: HttpAddress, bound: AddressInfo | string | null): string | undefined {
  if ("socketPath" in address || bound === null || typeof bound === "string") return undefined;
  const { host } = address;
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  return `http://${bracketed(name)}:${bound.port}`;
}

function cannotListen(
  error: NodeJS.ErrnoException,
  address: HttpAddress,
  variable: string,
): StartError {
  const place = "socketPath" in address ? address.socketPath : `${address.host}:${address.port}`;
  const problem = error.code === "EADDRINUSE" ? "the address is taken" : error.message;
  return new StartError(`${variable} ${place}: ${problem}. Set it to another`);
}
