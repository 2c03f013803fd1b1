import type { IncomingMessage, ServerResponse } from "node:http";
import { createIndexedSet, type Indexed } from "@tollgate/core/indexed-set";
import { repeat } from "@tollgate/core/repeat";

/** A client that sends nothing of its body for this long gets an error, and is disconnected. */
const maxBodyStallMs = 30_000;
/** A client may take this long for a body of any size. */
const bodyGraceMs = 60_000;
/** Each KiB of the body extends that time: 64 kbit/s, less than any link that carries audio. */
const msPerKibibyte = 125;

/** Returns how long a client may take for so many bytes of a body. */
export function maxBodyMs(bytes: number, graceMs = bodyGraceMs): number {
  return graceMs + (bytes / 1_024) * msPerKibibyte;
}

interface PendingRequest extends Indexed {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** The requests whose responses are not complete. */
export interface PendingRequests<Request extends PendingRequest> {
  add(request: Request): void;
  remove(request: Request): void;
  forEach(call: (request: Request) => void): void;
  /** Stops the checks of bodies. Resolves when none runs. */
  stop(): Promise<void>;
}

export interface PendingRequestsOptions<Request extends PendingRequest> {
  /**
   * From its abort on, every response says `Connection: close`. Clients then connect to another
   * replica, before this one stops and closes the connections that are left.
   */
  leaving: AbortSignal;
  /** Called when a client has sent nothing of its body for `stallMs`, or sends it too slowly. */
  onBodyTimeout(request: Request): void;
  stallMs?: number;
  graceMs?: number;
}

/** How long the gateway has waited for the body of a request. */
interface BodyWait {
  /** What the connection had read when the wait began. */
  readonly firstByte: number;
  bytesRead: number;
  checkedAtMs: number;
  waitedMs: number;
  /** Since the last byte. */
  stalledMs: number;
}

/** Tracks the pending requests of a server. */
export function createPendingRequests<Request extends PendingRequest>({
  leaving,
  onBodyTimeout,
  stallMs = maxBodyStallMs,
  graceMs = bodyGraceMs,
}: PendingRequestsOptions<Request>): PendingRequests<Request> {
  const pending = createIndexedSet<Request>();
  const waits = new WeakMap<Request, BodyWait>();

  function isTooSlow({ firstByte, bytesRead, waitedMs, stalledMs }: BodyWait): boolean {
    return stalledMs >= stallMs || waitedMs >= maxBodyMs(bytesRead - firstByte, graceMs);
  }

  /** The gateway waits for its client while it reads the body: not before, and not in a pause. */
  function check(request: Request, nowMs: number): void {
    const { complete, readableFlowing, socket } = request.req;
    if (complete || readableFlowing === null) return;
    const { bytesRead } = socket;
    const wait = waits.get(request);
    if (wait === undefined) return void waits.set(request, startWait(bytesRead, nowMs));
    const elapsedMs = readableFlowing ? nowMs - wait.checkedAtMs : 0;
    wait.stalledMs = wait.bytesRead === bytesRead ? wait.stalledMs + elapsedMs : 0;
    wait.waitedMs += elapsedMs;
    wait.bytesRead = bytesRead;
    wait.checkedAtMs = nowMs;
    if (isTooSlow(wait)) onBodyTimeout(request);
  }

  function checkAll(): void {
    const nowMs = performance.now();
    for (const request of pending.all()) check(request, nowMs);
  }

  const checks = repeat(checkAll, { everyMs: Math.min(stallMs, graceMs) / 6 });
  leaving.addEventListener("abort", () => {
    for (const { res } of pending.all()) res.shouldKeepAlive = false;
  });
  return {
    add(request) {
      if (leaving.aborted) request.res.shouldKeepAlive = false;
      pending.add(request);
    },
    remove: pending.remove,
    forEach(call) {
      for (const request of pending.all()) call(request);
    },
    stop: () => checks.stop(),
  };
}

function startWait(bytesRead: number, nowMs: number): BodyWait {
  return { firstByte: bytesRead, bytesRead, checkedAtMs: nowMs, waitedMs: 0, stalledMs: 0 };
}
