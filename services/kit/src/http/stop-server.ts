import type { Server } from "node:http";
import type { Server as SocketServer } from "node:net";
import type { Duplex } from "node:stream";

const idleLookMs = 100;

/** Ends a server: no new connection, then the idle ones, then what is left after `graceMs`. */
export type StopServer = (graceMs: number) => Promise<void>;

/**
 * Follows a server's connections from its start. Those that were upgraded are no longer the server's
 * to close, and those on which nothing was asked yet are not idle to it: both would keep it from
 * ending. `acceptors` are other sockets that the server is handed connections by.
 */
export function stopperOf(server: Server, acceptors: readonly SocketServer[] = []): StopServer {
  const upgraded = new Set<Duplex>();
  const unused = new Set<Duplex>();
  server.on("connection", (socket) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  server.on("request", ({ socket }) => unused.delete(socket));
  server.on("upgrade", (_req, socket) => {
    unused.delete(socket);
    upgraded.add(socket);
    socket.once("close", () => upgraded.delete(socket));
  });
  return async (graceMs) => {
    const closed = Promise.all([server, ...acceptors].map(closeServer));
    const idle = setInterval(() => {
      server.closeIdleConnections();
      for (const socket of unused) socket.destroy();
    }, idleLookMs);
    const force = setTimeout(() => {
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
    }, graceMs);
    await closed;
    clearInterval(idle);
    clearTimeout(force);
  };
}

function closeServer(server: SocketServer): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
