import { repeat } from "@tollgate/core/repeat";
import type { WebSocket } from "ws";

/** A peer that sends nothing, not even a pong, from one ping to the next is dead. */
const pingEveryMs = 20_000;

export interface Heartbeat {
  /**
   * Resumes reading a paused socket. The peer counts as alive until the ping after the next one:
   * what it sent during the pause is only read now.
   */
  resumeReading(): void;
}

/**
 * Pings a WebSocket from when it is open until it closes. Terminates it when its peer is dead. A
 * paused socket is not terminated, because its pongs are not read.
 */
export function startHeartbeat(socket: WebSocket): Heartbeat {
  /** Whether the peer has sent something since the last ping, or reading was resumed since then. */
  let isAlive = true;
  const markAlive = () => {
    isAlive = true;
  };
  socket.on("message", markAlive);
  socket.on("pong", markAlive);
  const ping = () => {
    if (socket.readyState === socket.CONNECTING) return;
    if (!isAlive && !socket.isPaused) return socket.terminate();
    isAlive = false;
    socket.ping();
  };
  const pings = repeat(ping, { everyMs: pingEveryMs });
  socket.once("close", () => void pings.stop());
  return {
    resumeReading() {
      markAlive();
      socket.resume();
    },
  };
}
