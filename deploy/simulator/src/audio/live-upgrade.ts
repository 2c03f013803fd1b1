import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocketServer } from "ws";
import { correlationIds, isAuthorized, type SimulatorState } from "../call.ts";
import { readCommands } from "../commands.ts";
import { serveLive } from "./live-stream.ts";
import { liveWires } from "./live-wires.ts";

/** Handles WebSocket upgrades to the live transcriber. */
export interface LiveUpgrade {
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Destroys all connections. */
  close(): void;
}

export function createLiveUpgrade(state: SimulatorState): LiveUpgrade {
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false });

  async function accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const upgrade = readUpgrade(request);
    if ("status" in upgrade) return refuse(socket, upgrade.status);
    const { wire, model, commands } = upgrade;
    const recorded = state.calls.record({
      at: state.nowMs(),
      route: wire.path,
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
        (live) => void serveLive(live, wire, recorded, commands, state.released()),
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

/** Returns what an upgrade requests, or the status that refuses it. */
function readUpgrade({ url = "" }: IncomingMessage) {
  const { pathname, searchParams } = new URL(url, "http://simulator");
  const wire = liveWires.get(pathname);
  if (wire === undefined) return { status: 404 };
  const query = wire.query.safeParse(Object.fromEntries(searchParams));
  if (!query.success) return { status: 400 };
  const { model } = query.data;
  const commands = readCommands(model, undefined);
  return "problem" in commands ? { status: 400 } : { wire, model, commands };
}

function refuse(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\nconnection: close\r\n\r\n`);
}
