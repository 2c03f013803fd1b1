import { PeerError } from "@tollgate/core/errors";

/**
 * A call ended before any of its request was sent: while it waited for a connection, or before. The
 * provider does not know it, and bills nothing for it.
 */
export class UnsentCall extends PeerError {}

/** Returns what a call throws that was aborted before its request was sent. */
export function abortedUnsent(reason: unknown): unknown {
  if (!(reason instanceof PeerError)) return reason;
  return new UnsentCall(reason.reason, reason.message, reason.cause);
}
