import type { IncomingMessage } from "node:http";
import type { Slot } from "@tollgate/catalog/model";
import { type JsonObject, jsonObjectOf } from "@tollgate/core/json";
import { repeat } from "@tollgate/core/repeat";
import { liveAdapterOf } from "@tollgate/providers/live";
import type { LiveAdapter, TranslatedLiveEvent } from "@tollgate/providers/live-adapter";
import { certificateFault } from "@tollgate/upstream/certificate-faults";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import { transportFailure } from "@tollgate/upstream/provider-response";
import { retryAfterMsOf } from "@tollgate/upstream/retry-after";
import { WebSocket } from "ws";
import { type Heartbeat, startHeartbeat } from "./heartbeat.ts";
import { createQueue } from "./queue.ts";

const connectTimeoutMs = 10_000;
const maxEventBytes = 1024 * 1024;
/** With more unsent bytes, `send` waits. With more unread bytes, reading is paused. */
const maxBufferedBytes = 1024 * 1024;
/** With more unread events, reading is paused. */
const maxUnreadEvents = 256;

/** A WebSocket to a slot's provider. It sends audio, and receives JSON events. */
export interface ProviderSocket {
  /**
   * Sends audio. Resolves once there is room for more: with true, or with false where the audio was
   * dropped because the provider has closed the connection or is closing it. Closes the connection
   * to a provider that does not make room within its timeout.
   */
  send(audio: Uint8Array): Promise<boolean>;
  /** Sends the provider the end of the audio. Resolves as `send` does. */
  endAudio(): Promise<boolean>;
  /**
   * The events until the provider closes. Throws a SlotFailure when the connection breaks. A frame that
   * is not a JSON object is ignored. Reading from the provider pauses while too many are unread.
   */
  events: AsyncIterable<TranslatedLiveEvent>;
  /** Returns how many bytes of audio were handed to the network. What waits to be sent is not. */
  sentBytes(): number;
  /** Closes the connection at once. */
  close(): void;
}

/**
 * Connects to a slot's provider. Throws a SlotFailure when the provider cannot be reached or
 * refuses, and the signal's reason when it aborts before the connection is open.
 */
export async function connectProvider(
  slot: Slot,
  providers: ProviderClient,
  requestId: string,
  signal: AbortSignal,
): Promise<ProviderSocket> {
  signal.throwIfAborted();
  const adapter = liveAdapterOf(slot);
  const url = withQuery(providers.streamUrl(slot), adapter.query(slot));
  const headers = await providers.streamHeaders(slot, requestId, signal);
  signal.throwIfAborted();
  const socket = new WebSocket(url, {
    ...providers.streamConnection(slot),
    headers,
    handshakeTimeout: Math.min(connectTimeoutMs, slot.provider.timeoutMs),
    maxPayload: maxEventBytes,
    perMessageDeflate: false,
  });
  const readHeaders = ({ headers }: IncomingMessage) => providers.readUpgrade(requestId, headers);
  socket.once("upgrade", readHeaders);
  socket.once("unexpected-response", (_request, response) => readHeaders(response));
  const audio = { hasEnded: false };
  const events = queueEvents(socket, startHeartbeat(socket), (value) =>
    adapter.event(value, audio.hasEnded),
  );
  const close = () => socket.terminate();
  signal.addEventListener("abort", close, { once: true });
  try {
    await untilOpen(socket, signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", close);
  }
  let sentBytes = 0;
  async function send(frame: Uint8Array | string, audioBytes = 0): Promise<boolean> {
    if (socket.readyState !== WebSocket.OPEN) return false;
    const written = new Promise<void>((resolve) => {
      socket.send(frame, (error) => {
        if (!error) sentBytes += audioBytes;
        resolve();
      });
    });
    if (socket.bufferedAmount <= maxBufferedBytes) return true;
    const timeout = setTimeout(close, slot.provider.timeoutMs);
    await written;
    clearTimeout(timeout);
    return true;
  }
  const stopKeepingAlive = keepAlive(socket, adapter);
  return {
    send: (chunk) => send(adapter.audio(chunk), chunk.byteLength),
    endAudio() {
      stopKeepingAlive();
      audio.hasEnded = true;
      return send(adapter.end);
    },
    events,
    sentBytes: () => sentBytes,
    close,
  };
}

/** Sends the frames that some providers need while nobody speaks, until the socket closes. */
function keepAlive(socket: WebSocket, { keepAlive: frames }: LiveAdapter): () => void {
  if (frames === undefined) return () => {};
  const sendFrame = () => {
    if (socket.readyState === WebSocket.OPEN) socket.send(frames.frame);
  };
  const frameTask = repeat(sendFrame, { everyMs: frames.everyMs });
  const stop = () => void frameTask.stop();
  socket.once("close", stop);
  return stop;
}

function withQuery(url: string, query: Record<string, string>): string {
  const added = new URLSearchParams(query).toString();
  if (added === "") return url;
  return `${url}${url.includes("?") ? "&" : "?"}${added}`;
}

async function untilOpen(socket: WebSocket, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("unexpected-response", (_request, { statusCode = 0, headers }) => {
      socket.terminate();
      const message = `the provider refused the WebSocket upgrade with ${statusCode}`;
      const retryAfterMs = retryAfterMsOf({ headers }, Date.now());
      reject(new SlotFailure("rejected", message, { status: statusCode, retryAfterMs }));
    });
    socket.once("error", (error) => {
      reject(transportFailure(error, signal, !isNotConnected(error)));
    });
  });
}

/** Whether no connection was made, so that the provider cannot have closed it because of the request. */
function isNotConnected({ syscall = "", code = "" }: NodeJS.ErrnoException): boolean {
  if (["connect", "getaddrinfo"].includes(syscall) || code === "ECONNREFUSED") return true;
  return certificateFault(code) !== undefined;
}

/** Queues the events from the start, so that none is lost before the first read. */
function queueEvents(
  socket: WebSocket,
  heartbeat: Heartbeat,
  translate: (value: JsonObject) => TranslatedLiveEvent | undefined,
): AsyncIterable<TranslatedLiveEvent> {
  const queue = createQueue<TranslatedLiveEvent>({
    limit: maxUnreadEvents,
    maxBytes: maxBufferedBytes,
    onFull: () => socket.pause(),
    onEmpty: heartbeat.resumeReading,
  });
  socket.on("message", (data: Buffer, isBinary) => {
    const value = isBinary ? undefined : jsonObjectOf(String(data));
    const event = value && translate(value);
    if (event !== undefined) queue.push(event, data.length);
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
