import type { RequestContext } from "./request-context.ts";

/** A client that sends nothing of its body for this long gets an error, and is disconnected. */
export const maxBodyStallMs = 30_000;

/** The requests whose responses are not complete. */
export interface PendingRequests {
  add(context: RequestContext): void;
  delete(context: RequestContext): void;
}

export interface PendingRequestsOptions {
  /**
   * From its abort on, every response says `Connection: close`. Clients then connect to another
   * replica, before this one stops and closes the connections that are left.
   */
  leaving: AbortSignal;
  /** Called once the gateway has waited for `stallMs` for more of a body. */
  onStall(context: RequestContext): void;
  stallMs?: number;
}

/** Tracks the pending requests of a server. */
export function createPendingRequests({
  leaving,
  onStall,
  stallMs = maxBodyStallMs,
}: PendingRequestsOptions): PendingRequests {
  const pending = new Set<RequestContext>();
  const waits = new WeakMap<RequestContext, { bytesRead: number; sinceMs: number }>();

  /** The gateway waits for its client if it reads the body and has read all that came. */
  function check(context: RequestContext, nowMs: number): void {
    const { complete, readableFlowing, socket } = context.req;
    if (complete || readableFlowing !== true) return;
    const { bytesRead } = socket;
    const wait = waits.get(context);
    if (wait?.bytesRead !== bytesRead) waits.set(context, { bytesRead, sinceMs: nowMs });
    else if (nowMs - wait.sinceMs >= stallMs) onStall(context);
  }

  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (const context of pending) check(context, nowMs);
  }, stallMs / 6);
  timer.unref();
  leaving.addEventListener("abort", () => {
    for (const { res } of pending) res.shouldKeepAlive = false;
  });
  return {
    add(context) {
      if (leaving.aborted) context.res.shouldKeepAlive = false;
      pending.add(context);
    },
    delete: (context) => void pending.delete(context),
  };
}
