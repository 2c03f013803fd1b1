import { PeerError } from "@tollgate/core/errors";
import type { CallOptions } from "./implementation.ts";

/** Throws a PeerError if the caller has already cancelled: such a call is never started. */
export function throwIfCancelled({ signal }: CallOptions): void {
  if (signal?.aborted) throw cancelledError();
}

/** Returns the error of a call that its caller cancelled. */
export function cancelledError(): PeerError {
  return new PeerError("cancelled", "the caller cancelled the call");
}

/** Returns the error of a call whose caller has failed or stopped. */
export function callerLostError(): PeerError {
  return new PeerError("unavailable", "the connection to the caller was lost");
}

/** Returns the error of a call that took longer than its timeout. */
export function deadlineError(timeoutMs: number): PeerError {
  return new PeerError("deadline", `no response within ${timeoutMs} ms`);
}
