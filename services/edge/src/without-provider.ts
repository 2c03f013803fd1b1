import { internalError, PeerError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { logPeerFailure } from "@tollgate/http/error-response";
import type { Route } from "./exchange.ts";

/**
 * A route that no provider takes part in. One that is away is no reason to give there: where a
 * service of the fleet cannot be asked, the gateway itself has failed.
 */
export function withoutProvider(route: Route, log: Log): Route {
  return async (exchange) => {
    try {
      await route(exchange);
    } catch (error) {
      throw exchange.signal.aborted ? error : ownFault(error, log);
    }
  };
}

/** What is told of an error in such a place. */
export function ownFault(error: unknown, log: Log): unknown {
  if (!(error instanceof PeerError)) return error;
  logPeerFailure(error, log);
  return internalError(error);
}
