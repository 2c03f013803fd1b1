import type { Slot } from "@tollgate/catalog/model";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import { WebSocket } from "ws";
import { type Heartbeat, startHeartbeat } from "./heartbeat.ts";
import { createQueue } from "./queue.ts";

const connectTimeoutMs = 10_000;
const maxEventBytes = 1024 * 1024;
/** With more unsent bytes, `send` waits. With more unread bytes, reading is paused. */
const maxBufferedBytes = 1024 * 1024;
/** With more unread events, reading is paused. */
const maxUnreadEvents = 256;

/** Sent to a provider after the last audio. */
export const flushMessage = JSON.stringify({ action: "flush" });

/** A WebSocket to a slot's provider. It sends audio, and receives JSON events. */
export interface ProviderSocket {
  /**
   * Sends data. Resolves once there is room for more: with true, or with false where the data was
   * dropped because the provider has closed the connection or is closing it. Closes the connection
   * to a provider that does not make room within its timeout.
   */
  send(data: Uint8Array | string): Promise<boolean>;
  /**
   * The events until the provider closes. Throws a SlotFailure when the connection breaks or an
   * event is not a JSON object. Reading from the provider pauses while too many are unread.
   */
  events: AsyncIterable<JsonObject>;
  /** Closes the connection at once. */
  close(): void;
}

/**
 * Connects to a slot's provider. Throws a SlotFailure when the provider cannot be reached or
 * refuses, and the signal's reason when it aborts, which also closes the connection.
 */
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
  const events = queueEvents(socket, startHeartbeat(socket));
  const close = () => socket.terminate();
  signal.addEventListener("abort", close, { once: true });
  socket.once("close", () => signal.removeEventListener("abort", close));
  try {
    await untilOpen(socket);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
  return {
    async send(data) {
      if (socket.readyState !== WebSocket.OPEN) return false;
      const written = new Promise<void>((resolve) => socket.send(data, () => resolve()));
      if (socket.bufferedAmount <= maxBufferedBytes) return true;
      const timeout = setTimeout(close, slot.provider.timeoutMs);
      await written;
      clearTimeout(timeout);
      return true;
    },
    events,
    close,
  };
}

async function untilOpen(socket: WebSocket): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("unexpected-response", (_request, { statusCode = 0 }) => {
      socket.terminate();
      const message = `the provider refused the WebSocket upgrade with ${statusCode}`;
      reject(new SlotFailure("rejected", message, { status: statusCode }));
    });
    socket.once("error", (cause) => {
      const message = "the connection to the provider failed";
      reject(new SlotFailure("unreachable", message, { cause }));
    });
  });
}

/** Queues the events from the start, so that none is lost before the first read. */
function queueEvents(socket: WebSocket, heartbeat: Heartbeat): AsyncIterable<JsonObject> {
  const queue = createQueue<JsonObject>({
    limit: maxUnreadEvents,
    maxBytes: maxBufferedBytes,
    onFull: () => socket.pause(),
    onEmpty: heartbeat.resumeReading,
  });
  socket.on("message", (data: Buffer, isBinary) => {
    const event = isBinary ? undefined : parseEvent(String(data));
    if (event !== undefined) return queue.push(event, data.length);
    queue.end(new SlotFailure("rejected", "an event of the provider is not a JSON object"));
    socket.terminate();
  });
  socket.on("error", (cause) => {
    queue.end(new SlotFailure("unreachable", "the connection to the provider failed", { cause }));
  });
  socket.on("close", (code) => {
    if (code === 1000 || code === 1005) return queue.end();
    queue.end(new SlotFailure("unreachable", `the provider's connection closed with code ${code}`));
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
