import { PeerError } from "@tollgate/core/errors";

/**
 * Returns whether a call ended because its caller cancelled it, as it does when the client leaves or
 * its key is revoked, or because its deadline passed. A caller that has failed, or that stops, has
 * not cancelled its calls.
 */
export function endedByCaller({ aborted, reason }: AbortSignal): boolean {
  if (!aborted || !(reason instanceof PeerError)) return false;
  return reason.reason === "cancelled" || reason.reason === "deadline";
}
