import { Code, ConnectError } from "@connectrpc/connect";
import { GatewayError, internalError, PeerError, serviceUnavailable } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { ErrorDetailSchema } from "@tollgate/proto/tollgate/v1/error";

/** The code of Connect for each HTTP status of an error. */
const codes: Readonly<Record<number, Code>> = {
  400: Code.InvalidArgument,
  401: Code.Unauthenticated,
  402: Code.FailedPrecondition,
  403: Code.FailedPrecondition,
  404: Code.NotFound,
  409: Code.Aborted,
  413: Code.InvalidArgument,
  429: Code.ResourceExhausted,
  500: Code.Internal,
  502: Code.Unavailable,
  503: Code.Unavailable,
};

/**
 * Returns an error as a client of the console receives it. The details have the gateway's own code and
 * the field. Logs what is not expected.
 */
export function toConnectError(error: unknown, log: Log): ConnectError {
  if (error instanceof ConnectError) return error;
  if (error instanceof GatewayError) return fromGatewayError(error);
  // A browser cancels the calls of a page that is left.
  if (error instanceof PeerError && error.reason === "cancelled") {
    return new ConnectError("The call was cancelled.", Code.Canceled);
  }
  if (error instanceof PeerError) {
    log.warn({ reason: error.reason }, "a service of the gateway did not respond to the console");
    return fromGatewayError(serviceUnavailable(error));
  }
  log.error({ err: error }, "call of the console failed");
  return fromGatewayError(internalError(error));
}

function fromGatewayError(error: GatewayError): ConnectError {
  const { code, message, param = "", status, retryAfterSeconds } = error;
  const value = {
    ...{ code, message, param, isPermanent: error.isPermanent },
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
  const detail = { desc: ErrorDetailSchema, value };
  return new ConnectError(message, codes[status] ?? Code.Unknown, undefined, [detail]);
}
