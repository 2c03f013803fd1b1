import { GatewayError } from "@tollgate/core/errors";
import { createQueue, type Queue } from "@tollgate/core/queue";
import { WebSocket } from "ws";
import { followLife } from "../heartbeat.ts";

/** Client frames that wait for the provider, and their bytes, before the client is slowed. */
const maxWaitingFrames = 64;
const maxWaitingBytes = 1024 * 1024;
const maxBufferedBytes = 1024 * 1024;
/** The largest frame that a client may send. */
export const maxFrameBytes = 1024 * 1024;
/** A client that takes nothing for so long, while events wait, is given up. */
const maxStallMs = 60_000;
const protocolError = 1_002;
const invalidPayload = 1_007;
const messageTooBig = 1_009;
const tooLong: ReadonlySet<string> = new Set([
  "WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH",
  "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH",
]);

export type ClientFrame = { kind: "text"; text: string } | { kind: "audio"; audio: Buffer };

/**
 * The client's end of a live transcription. Its close frame is the end of its audio, not yet of the
 * connection: events go out until `finish` answers it.
 */
export class LiveSocket extends WebSocket {
  readonly #gone = new AbortController();
  readonly #frames: Queue<ClientFrame> = createQueue({
    limit: maxWaitingFrames,
    maxBytes: maxWaitingBytes,
    onFull: () => this.pause(),
    onEmpty: () => this.#life.readOn(),
  });
  readonly #life = followLife(this);
  /** Why the client's frames cannot be read any further, as a close code. */
  #brokenCode: number | undefined;

  /** Starts to listen: called once, right after the upgrade. */
  open(): void {
    this.on("message", (data: Buffer, isBinary) => {
      this.#frames.push(
        isBinary ? { kind: "audio", audio: data } : { kind: "text", text: data.toString("utf8") },
        data.length,
      );
    });
    this.on("error", (error) => this.#breakFrames(error));
    this.once("close", () => {
      this.#frames.end();
      this.#gone.abort(new Error("the client left"));
    });
  }

  /**
   * What the client sends, until the end of its audio. Raises what the client is to be told when it
   * sends a frame that is none by the protocol, or is too large.
   */
  get frames(): AsyncIterable<ClientFrame> {
    return this.#frames.items;
  }

  /** Aborts when the connection is over, whoever ended it. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** The audio is over: what was sent before still counts. */
  endFrames(): void {
    this.#frames.end();
  }

  /** Sends JSON at the client's pace. */
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
   * The library calls this when the client's close frame has come, and also right before it tells
   * of a broken frame, which must end the frames first.
   */
  override close(): void {
    process.nextTick(() => this.endFrames());
  }

  /** Closes, or answers the client's close frame. Audio that still comes is dropped. */
  finish(code: number): void {
    this.removeAllListeners("message");
    this.#life.readOn();
    super.close(this.#brokenCode ?? code);
  }

  #breakFrames({ code = "" }: Error & { code?: string }): void {
    if (tooLong.has(code)) {
      this.#brokenCode = messageTooBig;
      const message = `A frame may have ${maxFrameBytes} bytes at most.`;
      this.#frames.end(new GatewayError("request_too_large", message));
    } else {
      this.#brokenCode = code === "WS_ERR_INVALID_UTF8" ? invalidPayload : protocolError;
      const message = "A frame is none by the WebSocket protocol.";
      this.#frames.end(new GatewayError("invalid_json", message));
    }
  }
}
