import { Readable } from "node:stream";
import type { ProviderRefusal } from "@tollgate/catalog/provider-refusal";
import { createSignal } from "@tollgate/core/signal";
import { type Dispatcher, errors } from "undici";
import { Backlog } from "./backlog.ts";

/** With more unread bytes than this, reading from the provider is paused. */
const maxUnreadBytes = 64 * 1024;

/** How long a response may take to end after `letEnd`. */
const endTimeoutMs = 1_000;

/**
 * The first wait of a provider's TCP before it sends again to a connection that was paused, with a margin.
 * TCP doubles its waits, so that the last one is at most as long as the pause and the first one together.
 */
const firstWaitMs = 2_000;
const eventStreamType = /event-?stream/i;

/** Aborts a call whose response is not read to its end. No caller is thrown this error. */
const notReadToEnd = new errors.RequestAbortedError("the response was not read to its end");

/** The longest times of a call. */
export interface CallLimits {
  /** To the first byte of the response's body. */
  firstByteMs?: number | undefined;
  /** To its end. */
  totalMs?: number | undefined;
}

/** A call that took longer than its limits. */
export class CallTimeout extends Error {
  readonly code: "FIRST_BYTE_TIMEOUT" | "TOTAL_TIMEOUT";

  constructor(code: CallTimeout["code"]) {
    super("the provider took too long");
    this.code = code;
  }
}

/** The body of a request: one buffer, several buffers, or a stream. */
export type SentBody = Uint8Array | readonly Uint8Array[] | Readable;

export interface ProviderResponseHead {
  status: number;
  contentType: string;
  /** The content codings of the body; empty for none. */
  contentEncoding: string;
  headers: ProviderRefusal["headers"];
}

/**
 * The body of a response. Each read returns all bytes that arrived since the previous read. Ending
 * the iteration early closes the connection; so does the signal of the call, whose reason is thrown
 * once what has arrived is read, as after `stopReceiving`.
 */
export interface ProviderBody extends AsyncIterable<Buffer> {
  /**
   * Stops reading. The connection stays open if the response ends within a second, else it is
   * closed.
   */
  letEnd(): void;
  /**
   * Closes the connection. The body ends after what has arrived and, of a stream of events that arrived
   * faster than it was read, after what the provider had sent meanwhile.
   */
  stopReceiving?(): void;
}

/** One request to a provider: the undici handler, and the body of the response. */
export class ProviderCall implements Dispatcher.DispatchHandler, ProviderBody {
  /** Resolves with the head of the response. Rejects when the call fails. */
  readonly head: Promise<ProviderResponseHead>;
  readonly #signal: AbortSignal;
  readonly #sent: SentBody | undefined;
  readonly #settleHead: PromiseWithResolvers<ProviderResponseHead>;
  /**
   * Listens to the signal, in place of this object: Node and V8 would keep a listener that is an
   * object in memory until V8 marks the whole heap.
   */
  readonly #onAbort = () => this.#stop(this.#signal.reason);
  #controller: Dispatcher.DispatchController | undefined;
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #end: { failure: unknown } | undefined;
  readonly #changed = createSignal();
  #ending: NodeJS.Timeout | undefined;
  #firstByteTimer: NodeJS.Timeout | undefined;
  readonly #totalTimer: NodeJS.Timeout | undefined;
  #isEventStream = false;
  /** When reading was paused last, of `performance.now()`. */
  #pausedAtMs = 0;
  /** When the provider has resumed sending after all pauses, at the latest. */
  #sendsByMs = Number.NEGATIVE_INFINITY;
  /** While a backlog is read. */
  #backlog: Backlog | undefined;

  /** `sent` is the body of the request. A stream is destroyed when the call fails. */
  constructor(signal: AbortSignal, sent: SentBody | undefined, limits: CallLimits = {}) {
    this.#signal = signal;
    this.#sent = sent;
    this.#settleHead = Promise.withResolvers();
    this.head = this.#settleHead.promise;
    if (signal.aborted) {
      this.#onAbort();
      return;
    }
    signal.addEventListener("abort", this.#onAbort);
    const { firstByteMs, totalMs } = limits;
    if (firstByteMs !== undefined)
      this.#firstByteTimer = this.#limit("FIRST_BYTE_TIMEOUT", firstByteMs);
    if (totalMs !== undefined) this.#totalTimer = this.#limit("TOTAL_TIMEOUT", totalMs);
  }

  /** Whether the request was given to a connection. */
  get wasSent(): boolean {
    return this.#controller !== undefined;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The call was aborted while it waited for a connection.
    if (this.#end !== undefined) controller.abort(notReadToEnd);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ProviderRefusal["headers"],
  ): void {
    if (status < 200) return;
    const contentType = String(headers["content-type"] ?? "");
    const contentEncoding = String(headers["content-encoding"] ?? "");
    this.#isEventStream = eventStreamType.test(contentType);
    this.#settleHead.resolve({ status, contentType, contentEncoding, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#end !== undefined) return;
    if (this.#firstByteTimer !== undefined) this.#clearFirstByteTimer();
    this.#unread.push(chunk);
    this.#unreadBytes += chunk.byteLength;
    if (this.#unreadBytes > maxUnreadBytes) this.#pause(controller);
    this.#backlog?.add(chunk.byteLength);
    this.#changed.notify();
  }

  onResponseEnd(): void {
    clearTimeout(this.#ending);
    this.#close(undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    clearTimeout(this.#ending);
    this.#close(error);
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    if (this.#unread.length === 0 && this.#end === undefined) {
      await this.#changed.wait();
    }
    if (this.#unread.length > 0) return { done: false, value: this.#take() };
    if (this.#end?.failure !== undefined) throw this.#end.failure;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.#abandon(notReadToEnd);
    return { done: true, value: undefined };
  }

  letEnd(): void {
    if (this.#end !== undefined) return;
    this.#take();
    this.#close(undefined);
    this.#ending = setTimeout(() => this.#controller?.abort(notReadToEnd), endTimeoutMs);
    this.#ending.unref();
  }

  stopReceiving(): void {
    this.#stop(undefined);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Joins the buffers of one read, so that they are forwarded together. */
  #take(): Buffer {
    const chunks = this.#unread;
    const isPaused = this.#unreadBytes > maxUnreadBytes;
    this.#unread = [];
    this.#unreadBytes = 0;
    if (isPaused && this.#end === undefined) this.#resume();
    return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  }

  #limit(code: CallTimeout["code"], ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#abandon(new CallTimeout(code)), ms);
  }

  #clearFirstByteTimer(): void {
    clearTimeout(this.#firstByteTimer);
    this.#firstByteTimer = undefined;
  }

  #pause(controller: Dispatcher.DispatchController): void {
    controller.pause();
    this.#pausedAtMs = performance.now();
    this.#backlog?.pause();
  }

  #resume(): void {
    const nowMs = performance.now();
    const sendsByMs = nowMs + (nowMs - this.#pausedAtMs) + firstWaitMs;
    this.#sendsByMs = Math.max(this.#sendsByMs, sendsByMs);
    this.#controller?.resume();
    this.#backlog?.resume(this.#sendsByMs);
  }

  /** Closes the connection, once its backlog is read where it has one. */
  #stop(reason: unknown): void {
    if (this.#end !== undefined || this.#backlog !== undefined) return;
    const isPaused = this.#unreadBytes > maxUnreadBytes;
    const hasBacklog = isPaused || performance.now() < this.#sendsByMs;
    const end = () => this.#abandon(reason);
    if (!hasBacklog || !this.#isEventStream) {
      end();
      return;
    }
    this.#backlog = new Backlog(end);
    if (!isPaused) this.#backlog.resume(this.#sendsByMs);
  }

  #abandon(reason: unknown): void {
    if (this.#end !== undefined) return;
    this.#close(reason);
    this.#controller?.abort(notReadToEnd);
  }

  #close(failure: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { failure };
    if (this.#firstByteTimer !== undefined) this.#clearFirstByteTimer();
    clearTimeout(this.#totalTimer);
    this.#backlog?.stop();
    this.#signal.removeEventListener("abort", this.#onAbort);
    if (failure !== undefined) {
      this.#settleHead.reject(failure);
      destroyQuietly(this.#sent);
    }
    this.#changed.notify();
  }
}

function destroyQuietly(sent: SentBody | undefined): void {
  if (!(sent instanceof Readable)) return;
  sent.on("error", () => {});
  sent.destroy();
}
