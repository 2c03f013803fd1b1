import { maxBodyBytes } from "./json-body.ts";
import type { RequestContext } from "./request-context.ts";

/** A client that sends nothing of its body for this long gets an error, and is disconnected. */
export const maxBodyStallMs = 30_000;
/** A client may take this long for a body of any size. */
const bodyGraceMs = 60_000;
/** Each KiB of the body extends that time: 64 kbit/s, less than any link that carries audio. */
const msPerKibibyte = 125;
/** The time for the largest body that any route reads. */
export const maxBodyMs = bodyGraceMs + (maxBodyBytes / 1_024) * msPerKibibyte;

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
  /** Called when a client has sent nothing of its body for `stallMs`, or sends it too slowly. */
  onBodyTimeout(context: RequestContext): void;
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
export function createPendingRequests({
  leaving,
  onBodyTimeout,
  stallMs = maxBodyStallMs,
  graceMs = bodyGraceMs,
}: PendingRequestsOptions): PendingRequests {
  const pending = new Set<RequestContext>();
  const waits = new WeakMap<RequestContext, BodyWait>();

  function isTooSlow({ firstByte, bytesRead, waitedMs, stalledMs }: BodyWait): boolean {
    const kibibytes = (bytesRead - firstByte) / 1_024;
    return stalledMs >= stallMs || waitedMs >= graceMs + kibibytes * msPerKibibyte;
  }

  /** The gateway waits for its client while it reads the body: not before, and not in a pause. */
  function check(context: RequestContext, nowMs: number): void {
    const { complete, readableFlowing, socket } = context.req;
    if (complete || readableFlowing === null) return;
    const { bytesRead } = socket;
    const wait = waits.get(context);
    if (wait === undefined) return void waits.set(context, startWait(bytesRead, nowMs));
    const elapsedMs = readableFlowing ? nowMs - wait.checkedAtMs : 0;
    wait.stalledMs = wait.bytesRead === bytesRead ? wait.stalledMs + elapsedMs : 0;
    wait.waitedMs += elapsedMs;
    wait.bytesRead = bytesRead;
    wait.checkedAtMs = nowMs;
    if (isTooSlow(wait)) onBodyTimeout(context);
  }

  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (const context of pending) check(context, nowMs);
  }, Math.min(stallMs, graceMs) / 6);
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

function startWait(bytesRead: number, nowMs: number): BodyWait {
  return { firstByte: bytesRead, bytesRead, checkedAtMs: nowMs, waitedMs: 0, stalledMs: 0 };
}
