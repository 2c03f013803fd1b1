import { GatewayError, PeerError } from "./errors.ts";

/** When a call must end, as its handler sees it. */
export interface Cancellable {
  /**
   * Aborts when the call must end: its caller left, its deadline passed, or the gateway cannot go on
   * with it. The reason is a PeerError: `cancelled`, `deadline` or `unavailable`.
   */
  readonly signal: AbortSignal;
  /** Whether the caller left: its client disconnected, or it waits no longer. */
  readonly hasLeft: boolean;
  /**
   * Begins a part of the call that runs to its end although the caller leaves: `signal` then aborts when
   * the part ends, and `watcher` is called. All else aborts the signal at once. A part may contain others,
   * with the same watcher.
   */
  beginPart(watcher: LeaveWatcher): void;
  endPart(): void;
  /** Aborts the signal, whatever part runs. */
  abort(reason: PeerError): void;
}

export interface LeaveWatcher {
  /** Called once when the caller leaves during the part. */
  callerLeft(): void;
}

/** Cancels a call. */
export class Cancellation implements Cancellable {
  /** Created on first use, since most handlers never read it. */
  #controller: AbortController | undefined;
  #reason: PeerError | undefined;
  #watcher: LeaveWatcher | undefined;
  #parts = 0;
  #hasLeft = false;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** Whether the signal is aborted. Does not create it. */
  get isAborted(): boolean {
    return this.#reason !== undefined;
  }

  beginPart(watcher: LeaveWatcher): void {
    this.#watcher = watcher;
    this.#parts += 1;
  }

  endPart(): void {
    this.#parts -= 1;
    if (this.#parts > 0) return;
    this.#watcher = undefined;
    if (this.#hasLeft) this.abort(callerLeftError());
  }

  /** The caller leaves: aborts the signal, or has it aborted when the part that runs ends. */
  leave(): void {
    if (this.#hasLeft || this.isAborted) return;
    this.#hasLeft = true;
    if (this.#watcher === undefined) this.abort(callerLeftError());
    else this.#watcher.callerLeft();
  }

  /** The caller's process or connection fails: aborts the signal, unless the caller left before. */
  lose(): void {
    if (!this.#hasLeft) this.abort(callerLostError());
  }

  abort(reason: PeerError): void {
    if (this.isAborted) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

/** Returns the error of a call that its caller cancelled, or whose caller disconnected. */
export function callerLeftError(): PeerError {
  return new PeerError("cancelled", "the caller cancelled the call");
}

/** Returns the error of a call whose caller has failed or stopped. */
export function callerLostError(): PeerError {
  return new PeerError("unavailable", "the connection to the caller was lost");
}

/** Returns whether the gateway itself ends a request, by an error of its own, rather than its client. */
export function endsByGateway({ reason }: AbortSignal): boolean {
  return reason instanceof GatewayError && reason.status >= 500;
}
