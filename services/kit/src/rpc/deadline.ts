import { PeerError } from "../errors.ts";

/** A call's limit in time, joined with its caller's own signal. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Rejects with the PeerError that says why, once the signal aborts. Never resolves. */
  readonly passed: Promise<never>;
  clear(): void;
}

/** Starts the clock; `clear` must follow. */
export function startDeadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let fail: (error: PeerError) => void = () => {};
  const passed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  passed.catch(() => {});
  const end = (error: PeerError) => {
    fail(error);
    controller.abort(error);
  };
  const onTimeout = () => end(new PeerError("deadline", `no answer within ${timeoutMs} ms`));
  const onCancel = () => end(new PeerError("cancelled", "the caller went away"));
  const timer = setTimeout(onTimeout, timeoutMs);
  timer.unref();
  if (caller?.aborted) onCancel();
  caller?.addEventListener("abort", onCancel, { once: true });
  return {
    signal: controller.signal,
    passed,
    clear() {
      clearTimeout(timer);
      caller?.removeEventListener("abort", onCancel);
    },
  };
}
