import { Readable } from "node:stream";
import { type Dispatcher, errors } from "undici";

/** Unread bytes past which the provider is made to wait. */
const maxUnreadBytes = 64 * 1024;

/** How long an answer may take to end once all that counts of it was read. */
const endingMs = 1_000;

/** Why a call is given up that is not read to its end. Nobody is told. */
const leftEarly = new errors.RequestAbortedError("left before its end");

/** The body of a request: whole, in pieces, or as it comes. */
export type SentBody = Uint8Array | readonly Uint8Array[] | Readable;

export interface AnswerHead {
  status: number;
  contentType: string;
}

/**
 * What has come since the last read comes as one piece. Leaving it before its end closes the
 * connection, and so does the call's signal, whose reason is then raised at once.
 */
export interface ProviderBody extends AsyncIterable<Buffer> {
  /** Reads no more of it, and keeps the connection where it ends within a moment. */
  letEnd(): void;
}

/** One request at a provider, told of by undici, and the body of its answer. */
export class ProviderCall implements Dispatcher.DispatchHandler, ProviderBody {
  /** Settles once the head has come, or the call has failed. */
  readonly head: Promise<AnswerHead>;
  readonly #signal: AbortSignal;
  readonly #sent: SentBody | undefined;
  readonly #settleHead: PromiseWithResolvers<AnswerHead>;
  #controller: Dispatcher.DispatchController | undefined;
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #end: { failure: unknown } | undefined;
  #wake = () => {};
  #ending: NodeJS.Timeout | undefined;

  /** `sent` is the body of the request; a stream is destroyed when the call fails. */
  constructor(signal: AbortSignal, sent: SentBody | undefined) {
    this.#signal = signal;
    this.#sent = sent;
    this.#settleHead = Promise.withResolvers();
    this.head = this.#settleHead.promise;
    if (signal.aborted) this.handleEvent();
    else signal.addEventListener("abort", this);
  }

  /** The signal's: the call is given up. */
  handleEvent(): void {
    this.#giveUp(this.#signal.reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Given up while it waited for a connection.
    if (this.#end !== undefined) controller.abort(leftEarly);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#settleHead.resolve({ status, contentType: String(headers["content-type"] ?? "") });
  }

  onResponseData(controller: Dispatcher.DispatchController, part: Buffer): void {
    if (this.#end !== undefined) return;
    this.#unread.push(part);
    this.#unreadBytes += part.byteLength;
    if (this.#unreadBytes > maxUnreadBytes) controller.pause();
    this.#wake();
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
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#unread.length > 0) return { done: false, value: this.#take() };
    if (this.#end?.failure !== undefined) throw this.#end.failure;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.#giveUp(leftEarly);
    return { done: true, value: undefined };
  }

  letEnd(): void {
    if (this.#end !== undefined) return;
    this.#take();
    this.#close(undefined);
    this.#ending = setTimeout(() => this.#controller?.abort(leftEarly), endingMs);
    this.#ending.unref();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Parts of one read are one piece: they travel on together. */
  #take(): Buffer {
    const parts = this.#unread;
    const isHeldBack = this.#unreadBytes > maxUnreadBytes;
    this.#unread = [];
    this.#unreadBytes = 0;
    if (isHeldBack) this.#controller?.resume();
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  #giveUp(reason: unknown): void {
    if (this.#end !== undefined) return;
    this.#unread = [];
    this.#close(reason);
    this.#controller?.abort(leftEarly);
  }

  #close(failure: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { failure };
    this.#signal.removeEventListener("abort", this);
    if (failure !== undefined) {
      this.#settleHead.reject(failure);
      destroyQuietly(this.#sent);
    }
    this.#wake();
  }
}

function destroyQuietly(sent: SentBody | undefined): void {
  if (!(sent instanceof Readable)) return;
  sent.on("error", () => {});
  sent.destroy();
}
