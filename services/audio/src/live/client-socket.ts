import { GatewayError } from "@tollgate/core/errors";
import { WebSocket } from "ws";
import { startHeartbeat } from "../streaming/heartbeat.ts";
import { createQueue, type Queue } from "../streaming/queue.ts";

/** With more unread frames, or more unread bytes, reading from the client is paused. */
const maxUnreadFrames = 64;
const maxUnreadBytes = 1024 * 1024;
/** With more unsent bytes, `sendJson` waits. */
const maxBufferedBytes = 1024 * 1024;
/** The largest frame that a client may send. */
export const maxFrameBytes = 1024 * 1024;
/** How long a client may read nothing while events are unsent. Its connection is then closed. */
const maxStallMs = 60_000;
/** Close codes of RFC 6455, 7.4.1. */
const protocolError = 1_002;
const invalidPayload = 1_007;
const messageTooBig = 1_009;
/** The codes of the errors that ws reports for a frame over `maxFrameBytes`. */
const tooLargeErrors: ReadonlySet<string> = new Set([
  "WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH",
  "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH",
]);

export type ClientFrame = { kind: "text"; text: string } | { kind: "audio"; audio: Buffer };

/**
 * The WebSocket of a live transcription's client. The client's close frame ends its audio, but not
 * yet the connection: events are sent until `finish` sends the close frame in return.
 */
export class ClientSocket extends WebSocket {
  readonly #disconnected = new AbortController();
  readonly #frames: Queue<ClientFrame> = createQueue({
    limit: maxUnreadFrames,
    maxBytes: maxUnreadBytes,
    onFull: () => this.pause(),
    onEmpty: () => this.#heartbeat.resumeReading(),
  });
  readonly #heartbeat = startHeartbeat(this);
  /** The close code for a frame that cannot be read. No frame after it is read. */
  #frameErrorCode: number | undefined;

  /** Starts to read frames. Must be called right after the upgrade, once. */
  startReading(): void {
    this.on("message", (data: Buffer, isBinary) => {
      this.#frames.push(
        isBinary ? { kind: "audio", audio: data } : { kind: "text", text: data.toString("utf8") },
        data.length,
      );
    });
    this.on("error", (error) => this.#failFrames(error));
    this.once("close", () => {
      this.#frames.end();
      this.#disconnected.abort(new Error("the client disconnected"));
    });
  }

  /**
   * The client's frames, until the end of its audio. Throws the error that the client is sent for a
   * frame that is too large or violates the WebSocket protocol.
   */
  get frames(): AsyncIterable<ClientFrame> {
    return this.#frames.items;
  }

  /** Aborts when the connection is closed, by either side. */
  get disconnected(): AbortSignal {
    return this.#disconnected.signal;
  }

  /** Ends `frames` after those that have already been received. */
  endFrames(): void {
    this.#frames.end();
  }

  /** Sends JSON. Resolves once there is room for more, or the connection is closed. */
  async sendJson(value: unknown): Promise<void> {
    if (this.readyState !== WebSocket.OPEN) return;
    const written = new Promise<void>((resolve) =>
      this.send(JSON.stringify(value), () => resolve()),
    );
    if (this.bufferedAmount <= maxBufferedBytes) return;
    const stall = setTimeout(() => this.terminate(), maxStallMs);
    await written;
    clearTimeout(stall);
  }

  /**
   * Called by ws for the client's close frame, to send the close frame in return, which `finish`
   * sends instead. Where `finish` has sent it already, the closing handshake is complete, and the
   * connection is closed. ws also calls it right before it emits the error of a broken frame. That
   * error must end the frames first, so they end on the next tick.
   */
  override close(): void {
    if (this.readyState === WebSocket.CLOSING) super.close();
    else process.nextTick(() => this.endFrames());
  }

  /**
   * Sends a close frame, with the code of a frame error if there was one. Drops further audio. ws
   * closes the connection to a client that has not responded within 30 seconds.
   */
  finish(code: number): void {
    this.removeAllListeners("message");
    this.#heartbeat.resumeReading();
    super.close(this.#frameErrorCode ?? code);
  }

  #failFrames({ code = "" }: Error & { code?: string }): void {
    if (tooLargeErrors.has(code)) {
      this.#frameErrorCode = messageTooBig;
      const message = `A frame can have at most ${maxFrameBytes} bytes.`;
      this.#frames.end(new GatewayError("request_too_large", message));
    } else {
      this.#frameErrorCode = code === "WS_ERR_INVALID_UTF8" ? invalidPayload : protocolError;
      const message = "A frame is not valid in the WebSocket protocol.";
      this.#frames.end(new GatewayError("invalid_json", message));
    }
  }
}
