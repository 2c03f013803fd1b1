import type { Server } from "node:http";
import type { Server as SocketServer } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";

const idleLookMs = 100;
/** Who has just connected is about to ask. */
const unusedMs = 1_000;
/** So many connections stand in line to be taken in, at the most: Node's own length of that line. */
const longestLine = 511;

/** Ends a server: no new connection, then the idle ones, then what is left after `graceMs`. */
export type StopServer = (graceMs: number) => Promise<void>;

/**
 * Follows a server's connections from its start. Those that were upgraded are no longer the server's
 * to close, and those on which nothing was asked yet are not idle to it: both would keep it from
 * ending. `acceptors` are other sockets that the server is handed connections by.
 */
export function stopperOf(server: Server, acceptors: readonly SocketServer[] = []): StopServer {
  const upgraded = new Set<Duplex>();
  /** And when each was taken in, of `performance.now()`. */
  const unused = new Map<Duplex, number>();
  let takenIn = 0;
  server.on("connection", (socket) => {
    takenIn += 1;
    unused.set(socket, performance.now());
    socket.once("close", () => unused.delete(socket));
  });
  server.on("request", ({ socket }) => unused.delete(socket));
  server.on("upgrade", (_req, socket) => {
    unused.delete(socket);
    upgraded.add(socket);
    socket.once("close", () => upgraded.delete(socket));
  });

  /** Closing a server resets the connections that it has not taken in; it takes one a turn. */
  async function takeInTheLine(): Promise<void> {
    let quietTurns = 0;
    for (let turn = 0; turn < longestLine && quietTurns < 2; turn += 1) {
      const before = takenIn;
      await nextTurn();
      quietTurns = takenIn === before ? quietTurns + 1 : 0;
    }
  }

  function endUnused(): void {
    const before = performance.now() - unusedMs;
    for (const [socket, since] of unused) if (since < before) socket.destroy();
  }

  return async (graceMs) => {
    await takeInTheLine();
    const closed = Promise.all([server, ...acceptors].map(closeServer));
    const idle = setInterval(() => {
      server.closeIdleConnections();
      endUnused();
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
