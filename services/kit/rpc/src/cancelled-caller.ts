import { PeerError } from "@tollgate/core/errors";
import type { CallOptions } from "./implementation.ts";

/** Raises a PeerError for a call that nobody waits for any more: it is not even begun. */
export function refuseGoneCaller({ signal }: CallOptions): void {
  if (signal?.aborted) throw callerGone();
}

/** Why a call is given up whose caller went away. */
export function callerGone(): PeerError {
  return new PeerError("cancelled", "the caller went away");
}
