import type { PeerError } from "@tollgate/core/errors";
import type { TraceHeaders } from "@tollgate/core/tracing";
import { cancelledError, deadlineError } from "./cancellation.ts";
import { type CallContext, type CallOptions, defaultTimeoutMs } from "./implementation.ts";

/**
 * A call inside the process, as its handler sees it. It aborts at its deadline and when its caller
 * cancels. A call that does neither allocates no AbortController.
 */
export class LocalCall implements CallContext {
  readonly trace: TraceHeaders | undefined;
  /** Why the call was aborted; undefined until then. */
  abortReason: PeerError | undefined;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #timeoutMs: number;
  readonly #timer: NodeJS.Timeout;
  /**
   * Listens to the caller's signal, in place of this object: Node wraps a listener that is an object
   * in a closure of V8's old generation, which keeps the object until V8 marks the whole heap.
   */
  readonly #cancel = () => this.#abort(cancelledError());
  #controller: AbortController | undefined;
  #reject: ((reason: PeerError) => void) | undefined;

  /** Starts the timer. The caller must call `dispose` at the end. */
  constructor({ signal, timeoutMs = defaultTimeoutMs, trace }: CallOptions) {
    this.trace = trace;
    this.#callerSignal = signal;
    this.#timeoutMs = timeoutMs;
    this.#timer = setTimeout(expire, timeoutMs, this);
    this.#timer.unref();
    if (signal?.aborted) this.#cancel();
    else signal?.addEventListener("abort", this.#cancel, { once: true });
  }

  /** Created on first use, since most handlers never read it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.abortReason !== undefined) this.#controller.abort(this.abortReason);
    }
    return this.#controller.signal;
  }

  expire(): void {
    this.#abort(deadlineError(this.#timeoutMs));
  }

  /**
   * Resolves with the result of `work`, or rejects with the abort reason if the call is aborted
   * first. At most one promise at a time.
   */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.abortReason !== undefined) reject(this.abortReason);
      this.#reject = reject;
      work.then(resolve, reject);
    });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#callerSignal?.removeEventListener("abort", this.#cancel);
  }

  #abort(reason: PeerError): void {
    this.abortReason = reason;
    this.#controller?.abort(reason);
    this.#reject?.(reason);
  }
}

function expire(call: LocalCall): void {
  call.expire();
}
