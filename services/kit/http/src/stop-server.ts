import type { Server } from "node:http";
import type { Server as SocketServer } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";

const idleLookMs = 100;
/**
 * Who has connected is about to ask: for a second, by looks, so that what has come is read first.
 */
const unusedLooks = 10;
/** Where more keep coming, the last of them are turned away. */
const longestLineMs = 500;

/**
 * Ends a server: it takes in who stands in line, but for what comes in the last moment, and no new
 * connection; then it ends the idle ones, and what is left when `graceMs` are over.
 */
export type StopServer = (graceMs: number) => Promise<void>;

/**
 * Follows a server's connections from its start. Those that were upgraded are no longer the
 * server's to close, and those on which nothing was asked yet are not idle to it: both would keep
 * it from ending. `acceptors` are other sockets that the server is handed connections by.
 */
export function stopperOf(server: Server, acceptors: readonly SocketServer[] = []): StopServer {
  const upgraded = new Set<Duplex>();
  /** And how often each was met by a look. */
  const unused = new Map<Duplex, number>();
  let takenIn = 0;
  server.on("connection", (socket) => {
    takenIn += 1;
    unused.set(socket, 0);
    socket.once("close", () => unused.delete(socket));
  });
  server.on("request", ({ socket }) => unused.delete(socket));
  server.on("upgrade", (_req, socket) => {
    unused.delete(socket);
    upgraded.add(socket);
    socket.once("close", () => upgraded.delete(socket));
  });

  /** Closing a socket resets the connections that are not taken in; one is, in a turn. */
  async function takeInTheLine(ms: number): Promise<void> {
    const until = performance.now() + ms;
    for (let quietTurns = 0; quietTurns < 2 && performance.now() < until; ) {
      const before = takenIn;
      await nextTurn();
      quietTurns = takenIn === before ? quietTurns + 1 : 0;
    }
  }

  function endUnused(): void {
    for (const [socket, looks] of unused) {
      if (looks >= unusedLooks) socket.destroy();
      else unused.set(socket, looks + 1);
    }
  }

  return async (graceMs) => {
    const deadline = performance.now() + graceMs;
    await takeInTheLine(Math.min(graceMs, longestLineMs));
    const closed = Promise.all([server, ...acceptors].map(closeServer));
    const idle = setInterval(() => {
      server.closeIdleConnections();
      endUnused();
    }, idleLookMs);
    const force = setTimeout(
      () => {
        server.closeAllConnections();
        for (const socket of upgraded) socket.destroy();
      },
      Math.max(0, deadline - performance.now()),
    );
    await closed;
    clearInterval(idle);
    clearTimeout(force);
  };
}

function closeServer(server: SocketServer): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
