import type { Slot } from "@tollgate/catalog/model";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { createQueue } from "@tollgate/core/queue";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import { WebSocket } from "ws";
import { followLife, type SocketLife } from "./heartbeat.ts";

const connectTimeoutMs = 10_000;
const maxEventBytes = 1024 * 1024;
/**
 * Audio that waits for the provider, and events that wait for the client, before either is slowed.
 */
const maxBufferedBytes = 1024 * 1024;
const maxWaitingEvents = 256;

/** A WebSocket to a slot's provider: bytes go in, JSON events come out. */
export interface ProviderSocket {
  /**
   * Resolves once there is room for more. What is sent after the end is dropped. A provider that
   * takes nothing for as long as it may be silent is given up.
   */
  send(data: Uint8Array | string): Promise<void>;
  /**
   * The events until the provider closes. Raises a SlotFailure when the connection breaks or an
   * event is no JSON object. Reading slowly slows the provider.
   */
  events: AsyncIterable<JsonObject>;
  /** Ends the connection at once. */
  close(): void;
}

/** Connects. Raises a SlotFailure when the provider cannot be reached or refuses. */
export async function connectProvider(
  slot: Slot,
  providers: ProviderClient,
  requestId: string,
  signal: AbortSignal,
): Promise<ProviderSocket> {
  signal.throwIfAborted();
  const socket = new WebSocket(providers.streamUrl(slot), {
    headers: providers.streamHeaders(slot, requestId),
    handshakeTimeout: Math.min(connectTimeoutMs, slot.provider.timeoutMs),
    maxPayload: maxEventBytes,
    perMessageDeflate: false,
  });
  const events = readEvents(socket, followLife(socket));
  const abandon = () => socket.terminate();
  signal.addEventListener("abort", abandon, { once: true });
  try {
    await opened(socket);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
  socket.once("close", () => signal.removeEventListener("abort", abandon));
  return {
    async send(data) {
      if (socket.readyState !== WebSocket.OPEN) return;
      const written = new Promise<void>((resolve) => socket.send(data, () => resolve()));
      if (socket.bufferedAmount <= maxBufferedBytes) return;
      const stalled = setTimeout(abandon, slot.provider.timeoutMs);
      await written;
      clearTimeout(stalled);
    },
    events,
    close: abandon,
  };
}

async function opened(socket: WebSocket): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("unexpected-response", (_request, { statusCode = 0 }) => {
      socket.terminate();
      const message = `the provider answered ${statusCode} to the upgrade`;
      reject(new SlotFailure("rejected", message, { status: statusCode }));
    });
    socket.once("error", (cause) => {
      const message = "the connection to the provider failed";
      reject(new SlotFailure("unreachable", message, { cause }));
    });
  });
}

/** Gathers events from the very start, so that none is lost before somebody reads. */
function readEvents(socket: WebSocket, life: SocketLife): AsyncIterable<JsonObject> {
  const queue = createQueue<JsonObject>({
    limit: maxWaitingEvents,
    maxBytes: maxBufferedBytes,
    onFull: () => socket.pause(),
    onEmpty: life.readOn,
  });
  socket.on("message", (data: Buffer, isBinary) => {
    const event = isBinary ? undefined : parseEvent(String(data));
    if (event !== undefined) return queue.push(event, data.length);
    queue.end(new SlotFailure("rejected", "an event of the provider is no JSON object"));
    socket.terminate();
  });
  socket.on("error", (cause) => {
    queue.end(new SlotFailure("unreachable", "the connection to the provider failed", { cause }));
  });
  socket.on("close", (code) => {
    if (code === 1000 || code === 1005) return queue.end();
    queue.end(new SlotFailure("unreachable", `the provider's connection ended (${code})`));
  });
  return queue.items;
}

function parseEvent(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
