import { Cancellation } from "@tollgate/core/cancellation";
import type { PeerError } from "@tollgate/core/errors";
import type { TraceHeaders } from "@tollgate/core/tracing";
import { afterArrivals, deadlineError, errorOfCancel } from "./cancellation.ts";
import { type CallContext, type CallOptions, defaultTimeoutMs } from "./implementation.ts";

/**
 * A call inside the process, as its handler sees it. It ends at its deadline and when its caller
 * cancels. A call whose handler never reads its signal allocates no AbortController.
 */
export class LocalCall extends Cancellation implements CallContext {
  readonly trace: TraceHeaders | undefined;
  /** Why the caller waits no longer; undefined while it waits. */
  failure: PeerError | undefined;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #timeoutMs: number;
  readonly #timer: NodeJS.Timeout;
  /**
   * Listens to the caller's signal, in place of this object: Node wraps a listener that is an object
   * in a closure of V8's old generation, which keeps the object until V8 marks the whole heap.
   */
  readonly #cancel = () => this.#followCaller();
  #reject: ((reason: PeerError) => void) | undefined;
  #isDisposed = false;

  /** Starts the timer. The caller must call `dispose` or `disposeAfter` at the end. */
  constructor({ signal, timeoutMs = defaultTimeoutMs, trace }: CallOptions) {
    super();
    this.trace = trace;
    this.#callerSignal = signal;
    this.#timeoutMs = timeoutMs;
    this.#timer = setTimeout(expire, timeoutMs, this);
    this.#timer.unref();
    if (signal?.aborted) this.#cancel();
    else signal?.addEventListener("abort", this.#cancel, { once: true });
  }

  expire(): void {
    if (this.#isDisposed) return;
    const failure = deadlineError(this.#timeoutMs);
    this.abort(failure);
    this.#stopWaiting(failure);
  }

  /**
   * Resolves with the result of `work`, or rejects once the caller waits no longer. At most one promise
   * at a time.
   */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) reject(this.failure);
      this.#reject = reject;
      work.then(resolve, reject);
    });
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
    this.#callerSignal?.removeEventListener("abort", this.#cancel);
  }

  /** Does the same once `work` has ended, which may run on without its caller until the deadline. */
  disposeAfter(work: Promise<unknown> | undefined): void {
    if (!this.hasLeft || work === undefined) {
      this.dispose();
      return;
    }
    const dispose = () => this.dispose();
    work.then(dispose, dispose);
  }

  #followCaller(): void {
    const failure = errorOfCancel(this.#callerSignal);
    if (failure.reason === "cancelled") this.leave();
    else this.abort(failure);
    this.#stopWaiting(failure);
  }

  #stopWaiting(failure: PeerError): void {
    this.failure ??= failure;
    this.#reject?.(this.failure);
  }
}

/** Lets a call expire, unless its work has ended meanwhile: see `afterArrivals`. */
function expire(call: LocalCall): void {
  afterArrivals(() => call.expire());
}
