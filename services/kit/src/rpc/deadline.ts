import { PeerError } from "../errors.ts";

/** A call's limit in time, joined with its caller's own signal. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** What `work` comes to, unless the signal aborts first: then the PeerError that says why. */
  within<T>(work: Promise<T>): Promise<T>;
  clear(): void;
}

/** Starts the clock; `clear` must follow. */
export function startDeadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const end = (error: PeerError) => controller.abort(error);
  const onTimeout = () => end(new PeerError("deadline", `no answer within ${timeoutMs} ms`));
  const onCancel = () => end(new PeerError("cancelled", "the caller went away"));
  const timer = setTimeout(onTimeout, timeoutMs);
  timer.unref();
  if (caller?.aborted) onCancel();
  caller?.addEventListener("abort", onCancel, { once: true });
  return {
    signal: controller.signal,
    within: (work) => within(work, controller.signal),
    clear() {
      clearTimeout(timer);
      caller?.removeEventListener("abort", onCancel);
    },
  };
}

/**
 * Not a race against one long promise: that would keep every value that it ever raced with, all of a
 * stream, until the end.
 */
function within<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    const settled = () => signal.removeEventListener("abort", onAbort);
    work.then(resolve, reject).finally(settled);
  });
}
