import type { Server } from "node:http";
import { createServer, type ListenOptions, type Server as SocketServer } from "node:net";

/**
 * Node accepts one new connection per listening socket and turn of its event loop. With hundreds of
 * streams a turn takes milliseconds, and clients that connect at once would wait for seconds.
 */
const acceptorCount = 15;

/** Only Linux distributes the connections of one port over several listening sockets. */
const canSharePorts = process.platform === "linux";

/** Creates more listening sockets for a server, which pass it their connections. */
export function createAcceptors(server: Server): readonly SocketServer[] {
  if (!canSharePorts) return [];
  const options = { allowHalfOpen: true, noDelay: true };
  return Array.from({ length: acceptorCount }, () =>
    createServer(options, (socket) => server.emit("connection", socket)),
  );
}

/**
 * Listens on one port with the server and its acceptors, and with other processes if the port
 * `isShared`. Rejects with what `listen` emits.
 */
export async function listenTogether(
  server: Server,
  acceptors: readonly SocketServer[],
  { isShared = false, ...target }: { host: string; port: number; isShared?: boolean },
): Promise<void> {
  if (acceptors.length === 0) return listenAt(server, target);
  if (!isShared) await requireUnused(target);
  await listenAt(server, { ...target, reusePort: true });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : target.port;
  for (const acceptor of acceptors) await listenAt(acceptor, { ...target, port, reusePort: true });
}

/** With `reusePort` a port in use may look free. Only an exclusive listener detects that. */
async function requireUnused(target: { host: string; port: number }): Promise<void> {
  const probe = createServer();
  await listenAt(probe, target);
  await new Promise((resolve) => probe.close(resolve));
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
