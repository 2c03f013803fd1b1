import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocketServer } from "ws";
import { correlationIds, isAuthorized, type SimulatorState } from "../call.ts";
import { readCommands } from "../commands.ts";
import { serveLive } from "./live-stream.ts";

const PATH = "/v1/audio/stream";

/** Handles WebSocket upgrades to the live transcriber. */
export interface LiveUpgrade {
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Destroys all connections. */
  close(): void;
}

export function createLiveUpgrade(state: SimulatorState): LiveUpgrade {
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false });

  async function accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://simulator");
    const model = searchParams.get("model") ?? "";
    const commands = readCommands(model, undefined);
    if (pathname !== PATH) return refuse(socket, 404);
    if ("problem" in commands) return refuse(socket, 400);
    const recorded = state.calls.record({
      at: state.nowMs(),
      route: pathname,
      model,
      stream: true,
      user: null,
      authorized: isAuthorized(request),
      ...correlationIds(request),
      body: undefined,
    });
    if (commands.delay_ms) await delay(commands.delay_ms);
    if (commands.hang) recorded.outcome = "hung";
    else if (commands.refuse) {
      recorded.outcome = "refused";
      socket.destroy();
    } else if (commands.status !== undefined) {
      recorded.outcome = "failed";
      recorded.status = commands.status;
      refuse(socket, commands.status);
    } else {
      recorded.status = 101;
      server.handleUpgrade(
        request,
        socket,
        head,
        (live) => void serveLive(live, recorded, commands),
      );
    }
  }

  return {
    accept(request, socket, head) {
      socket.on("error", () => {});
      void accept(request, socket, head);
    },
    close() {
      for (const live of server.clients) live.terminate();
    },
  };
}

function refuse(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\nconnection: close\r\n\r\n`);
}
