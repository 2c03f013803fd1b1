import type { Server } from "node:http";
import type { Server as SocketServer } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as nextTick } from "node:timers/promises";
import { repeat } from "@tollgate/core/repeat";

const idleCheckMs = 100;
/**
 * A client that has connected usually sends a request soon. A connection without a request is
 * closed after this many checks, which is one second.
 */
const maxUnusedChecks = 10;
/** How long connections in the kernel's backlog are accepted. Later ones are reset. */
const maxBacklogMs = 500;

/**
 * Stops a server. It accepts the connections in the kernel's backlog, then stops listening, closes
 * idle connections, and closes all others after `graceMs`, right after it called `beforeForce`. A
 * connection that arrives just before the listener closes may be reset.
 */
export type StopServer = (graceMs: number, beforeForce?: () => void) => Promise<void>;

/**
 * Returns the function that stops a server. Call it before the server listens: it tracks the
 * server's connections. Node.js closes neither upgraded connections nor connections without a
 * request so far, and both would prevent the server from closing. `acceptors` are other sockets
 * that pass connections to the server.
 */
export function stopperOf(server: Server, acceptors: readonly SocketServer[] = []): StopServer {
  const upgraded = new Set<Duplex>();
  /** Connections without a request so far, and how many checks have seen each. */
  const unused = new Map<Duplex, number>();
  let accepted = 0;
  server.on("connection", (socket) => {
    accepted += 1;
    unused.set(socket, 0);
    socket.once("close", () => unused.delete(socket));
  });
  server.on("request", ({ socket }) => unused.delete(socket));
  server.on("upgrade", (_req, socket) => {
    unused.delete(socket);
    upgraded.add(socket);
    socket.once("close", () => upgraded.delete(socket));
  });

  /** Waits until the backlog is accepted, one connection a tick: closing a listener resets them. */
  async function acceptBacklog(ms: number): Promise<void> {
    const until = performance.now() + ms;
    for (let quietTicks = 0; quietTicks < 2 && performance.now() < until; ) {
      const before = accepted;
      await nextTick();
      quietTicks = accepted === before ? quietTicks + 1 : 0;
    }
  }

  function endUnused(): void {
    for (const [socket, checks] of unused) {
      if (checks >= maxUnusedChecks) socket.destroy();
      else unused.set(socket, checks + 1);
    }
  }

  return async (graceMs, beforeForce) => {
    const deadline = performance.now() + graceMs;
    await acceptBacklog(Math.min(graceMs, maxBacklogMs));
    const closed = Promise.all([server, ...acceptors].map(closeServer));
    const idle = repeat(
      () => {
        server.closeIdleConnections();
        endUnused();
      },
      { everyMs: idleCheckMs },
    );
    const force = setTimeout(
      () => {
        beforeForce?.();
        server.closeAllConnections();
        for (const socket of upgraded) socket.destroy();
      },
      Math.max(0, deadline - performance.now()),
    );
    await closed;
    await idle.stop();
    clearTimeout(force);
  };
}

function closeServer(server: SocketServer): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
