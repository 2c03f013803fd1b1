import type { WebSocket } from "ws";

/** A peer that answers no ping for one such span is dead. */
const pingEveryMs = 20_000;

/** Of a WebSocket that is read at its reader's pace. */
export interface SocketLife {
  /** Reads on after a pause: what the peer answered meanwhile is only read now. */
  readOn(): void;
}

/**
 * Pings a WebSocket from when it is open until it closes, and terminates it when its peer is dead.
 */
export function followLife(socket: WebSocket): SocketLife {
  /** Since the last ping, or it could not be, since it was not read. */
  let isHeard = true;
  const hear = () => {
    isHeard = true;
  };
  socket.on("message", hear);
  socket.on("pong", hear);
  const pings = setInterval(() => {
    if (socket.readyState === socket.CONNECTING) return;
    if (!isHeard && !socket.isPaused) return socket.terminate();
    isHeard = false;
    socket.ping();
  }, pingEveryMs);
  socket.once("close", () => clearInterval(pings));
  return {
    readOn() {
      hear();
      socket.resume();
    },
  };
}
