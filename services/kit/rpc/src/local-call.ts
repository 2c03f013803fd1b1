import { PeerError } from "@tollgate/core/errors";
import type { TraceHeaders } from "@tollgate/core/tracing";
import { callerGone } from "./cancelled-caller.ts";
import { type CallContext, type CallOptions, defaultTimeoutMs } from "./implementation.ts";

/**
 * A call under way inside the process, as its handler sees it: it ends by its limit in time, and
 * when its caller goes away. One object a call, and no more where nothing happens.
 */
export class BoundedCall implements CallContext {
  readonly trace: TraceHeaders | undefined;
  /** Why the call was given up, once it was. */
  ended: PeerError | undefined;
  readonly #caller: AbortSignal | undefined;
  readonly #timeoutMs: number;
  readonly #timer: NodeJS.Timeout;
  #controller: AbortController | undefined;
  #giveUp: ((reason: PeerError) => void) | undefined;

  /** Starts the clock; `clear` must follow. */
  constructor({ signal, timeoutMs = defaultTimeoutMs, trace }: CallOptions) {
    this.trace = trace;
    this.#caller = signal;
    this.#timeoutMs = timeoutMs;
    this.#timer = setTimeout(expire, timeoutMs, this);
    this.#timer.unref();
    if (signal?.aborted) this.handleEvent();
    else signal?.addEventListener("abort", this, { once: true });
  }

  /** Made when it is first asked for, since most handlers never look. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.ended !== undefined) this.#controller.abort(this.ended);
    }
    return this.#controller.signal;
  }

  /** The caller's signal calls it. */
  handleEvent(): void {
    this.#end(callerGone());
  }

  expire(): void {
    this.#end(new PeerError("deadline", `no answer within ${this.#timeoutMs} ms`));
  }

  /**
   * What `work` comes to, unless the call is given up first: then the PeerError that says why. One
   * is waited for at a time.
   */
  within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.ended !== undefined) reject(this.ended);
      this.#giveUp = reject;
      work.then(resolve, reject);
    });
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this);
  }

  #end(reason: PeerError): void {
    this.ended = reason;
    this.#controller?.abort(reason);
    this.#giveUp?.(reason);
  }
}

function expire(call: BoundedCall): void {
  call.expire();
}
