import { PeerError } from "../errors.ts";

/** A call's limit in time, joined with its caller's own signal. */
export interface Deadline {
  /** For who answers the call; it is made when it is first asked for, since most never look. */
  readonly signal: AbortSignal;
  /** Why the call was given up, once it was. */
  readonly ended: PeerError | undefined;
  /** What `work` comes to, unless the call is given up first: then the PeerError that says why. */
  within<T>(work: Promise<T>): Promise<T>;
  clear(): void;
}

/** Starts the clock; `clear` must follow. One `within` is waited for at a time. */
export function startDeadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  let controller: AbortController | undefined;
  let ended: PeerError | undefined;
  let giveUp: ((reason: PeerError) => void) | undefined;

  function end(reason: PeerError): void {
    ended = reason;
    controller?.abort(reason);
    giveUp?.(reason);
  }

  const onTimeout = () => end(new PeerError("deadline", `no answer within ${timeoutMs} ms`));
  const onCancel = () => end(new PeerError("cancelled", "the caller went away"));
  const timer = setTimeout(onTimeout, timeoutMs);
  timer.unref();
  if (caller?.aborted) onCancel();
  else caller?.addEventListener("abort", onCancel, { once: true });
  return {
    get signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (ended !== undefined) controller.abort(ended);
      }
      return controller.signal;
    },
    get ended() {
      return ended;
    },
    within: (work) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) reject(ended);
        giveUp = reject;
        work.then(resolve, reject);
      }),
    clear() {
      clearTimeout(timer);
      caller?.removeEventListener("abort", onCancel);
    },
  };
}
