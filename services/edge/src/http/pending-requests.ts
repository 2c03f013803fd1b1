import type { IncomingMessage, ServerResponse } from "node:http";

/** A client that sends nothing of its body for this long gets an error, and is disconnected. */
export const maxBodyStallMs = 30_000;

interface PendingRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** The requests whose responses are not complete. */
export interface PendingRequests<Request extends PendingRequest> {
  add(request: Request): void;
  delete(request: Request): void;
}

export interface PendingRequestsOptions<Request extends PendingRequest> {
  /**
   * From its abort on, every response says `Connection: close`. Clients then connect to another
   * replica, before this one stops and closes the connections that are left.
   */
  leaving: AbortSignal;
  /** Called once the gateway has waited for `stallMs` for more of a body. */
  onStall(request: Request): void;
  stallMs?: number;
}

/** Tracks the pending requests of a server. */
export function createPendingRequests<Request extends PendingRequest>({
  leaving,
  onStall,
  stallMs = maxBodyStallMs,
}: PendingRequestsOptions<Request>): PendingRequests<Request> {
  const pending = new Set<Request>();
  const waits = new WeakMap<Request, { bytesRead: number; sinceMs: number }>();

  /** The gateway waits for its client if it reads the body and has read all that came. */
  function check(request: Request, nowMs: number): void {
    const { complete, readableFlowing, socket } = request.req;
    if (complete || readableFlowing !== true) return;
    const { bytesRead } = socket;
    const wait = waits.get(request);
    if (wait?.bytesRead !== bytesRead) waits.set(request, { bytesRead, sinceMs: nowMs });
    else if (nowMs - wait.sinceMs >= stallMs) onStall(request);
  }

  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (const request of pending) check(request, nowMs);
  }, stallMs / 6);
  timer.unref();
  leaving.addEventListener("abort", () => {
    for (const { res } of pending) res.shouldKeepAlive = false;
  });
  return {
    add(request) {
      if (leaving.aborted) request.res.shouldKeepAlive = false;
      pending.add(request);
    },
    delete: (request) => void pending.delete(request),
  };
}
