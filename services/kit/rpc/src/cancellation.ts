import { callerLeftError, callerLostError, endsByGateway } from "@tollgate/core/cancellation";
import { PeerError } from "@tollgate/core/errors";
import type { CallOptions } from "./implementation.ts";

/** Throws a PeerError if the caller has already cancelled: such a call is never started. */
export function throwIfCancelled({ signal }: CallOptions): void {
  if (signal?.aborted) throw callerLeftError();
}

/**
 * Returns the error of a call whose caller's signal aborted: it left, unless the signal's reason is an
 * error of the gateway, which then ends the request by itself.
 */
export function errorOfCancel(signal: AbortSignal | undefined): PeerError {
  const isLost = signal !== undefined && endsByGateway(signal);
  return isLost ? callerLostError() : callerLeftError();
}

/** Returns the error of a call that took longer than its timeout. */
export function deadlineError(timeoutMs: number): PeerError {
  return new PeerError("deadline", `no response within ${timeoutMs} ms`);
}

/**
 * Calls `expire` once the event loop has read what arrived before its timers ran. After a process was blocked
 * or got no CPU, its timers run first: a deadline would pass although the response is there.
 */
export function afterArrivals(expire: () => void): void {
  setImmediate(expire);
}
