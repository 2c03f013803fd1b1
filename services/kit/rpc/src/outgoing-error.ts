import { isDatabaseAway } from "@tollgate/core/database-away";
import { GatewayError, internalError, PeerError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";

/**
 * Returns the error that leaves a service when a handler throws: a GatewayError or PeerError as it
 * is, a database that cannot be reached as a PeerError, anything else as `internal_error`. Logs the
 * cause of the last two, since it does not leave this process.
 */
export function outgoingError(error: unknown, method: string, log: Log): GatewayError | PeerError {
  if (error instanceof GatewayError) {
    if (error.code === "internal_error") logFailure(error.cause ?? error, method, log);
    return error;
  }
  if (error instanceof PeerError) return error;
  logFailure(error, method, log);
  if (isDatabaseAway(error)) {
    return new PeerError("unavailable", "the database cannot be reached", error);
  }
  return internalError(error);
}

function logFailure(error: unknown, method: string, log: Log): void {
  log.error({ err: error, method }, "call failed");
}
