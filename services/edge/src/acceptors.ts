import type { Server } from "node:http";
import { createServer, type ListenOptions, type Server as SocketServer } from "node:net";

/**
 * Node takes one new connection a turn of its event loop from each listening socket. With hundreds
 * of streams a turn lasts milliseconds, and clients that come at once would wait for seconds.
 */
const acceptorCount = 15;

/** Where the kernel shares the connections of one port out among several sockets. */
const sharesPorts = process.platform === "linux";

/** More sockets for a server's port, which hand it what they accept. They do not listen yet. */
export function createAcceptors(server: Server): readonly SocketServer[] {
  if (!sharesPorts) return [];
  const options = { allowHalfOpen: true, noDelay: true };
  return Array.from({ length: acceptorCount }, () =>
    createServer(options, (socket) => server.emit("connection", socket)),
  );
}

/** Listens at one port with all of them. Raises what listening raises, also where it is taken. */
export async function listenTogether(
  server: Server,
  acceptors: readonly SocketServer[],
  wanted: { host: string; port: number },
): Promise<void> {
  if (acceptors.length === 0) return listenAt(server, wanted);
  // A port that is shared is free to everyone who shares: only asking for it alone tells.
  const probe = createServer();
  await listenAt(probe, wanted);
  await new Promise((resolve) => probe.close(resolve));
  await listenAt(server, { ...wanted, reusePort: true });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : wanted.port;
  for (const acceptor of acceptors) await listenAt(acceptor, { ...wanted, port, reusePort: true });
}

function listenAt(server: SocketServer, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
