import { GatewayError, internalError, PeerError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";

/**
 * What leaves a service when a handler throws: a typed error as it is, anything else as
 * `internal_error`, logged here since nobody past this point sees its cause.
 */
export function outgoingError(error: unknown, method: string, log: Log): GatewayError | PeerError {
  if (error instanceof GatewayError) {
    if (error.code === "internal_error") log.error({ err: error.cause ?? error, method }, "failed");
    return error;
  }
  if (error instanceof PeerError) return error;
  log.error({ err: error, method }, "failed");
  return internalError(error);
}
