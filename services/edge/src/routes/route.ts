import { invalidParam } from "@tollgate/core/errors";
import { type Auth, requireSettlementKey } from "../auth/authenticate.ts";
import { toInternalError } from "../http/error-response.ts";
import type { Handler, KeyedHandler } from "../http/handler.ts";
import type { UpgradeHandler } from "../http/upgrades.ts";
import type { Operation } from "../openapi/operation.ts";
import type { RouteDependencies } from "./dependencies.ts";

export type Method = "GET" | "POST" | "DELETE";

/** One row of the route table. */
export interface Route {
  method: Method;
  /** An OpenAPI path template with at most one parameter. The parameter may contain slashes. */
  path: string;
  auth: Auth;
  operation: Operation;
  /** Creates the handler, which authenticates first. */
  createHandler(dependencies: RouteDependencies): Handler;
  /** On a route that takes WebSocket upgrades. */
  createUpgradeHandler?(dependencies: RouteDependencies): UpgradeHandler;
}

/** Defines a route that requires an API key. */
export function withKey(
  method: Method,
  path: string,
  createHandler: (dependencies: RouteDependencies) => KeyedHandler,
  operation: Operation,
): Route {
  return defineRoute(method, path, "key", operation, (dependencies) => {
    const handler = createHandler(dependencies);
    return async (context) => handler(context, await dependencies.authenticate(context));
  });
}

/** Defines a route that requires the key of a settlement channel. */
export function withSettlementKey(
  method: Method,
  path: string,
  createHandler: (dependencies: RouteDependencies) => KeyedHandler,
  operation: Operation,
): Route {
  return defineRoute(method, path, "settlement key", operation, (dependencies) => {
    const handler = createHandler(dependencies);
    return async (context) => {
      const principal = await dependencies.authenticate(context);
      requireSettlementKey(principal);
      await handler(context, principal);
    };
  });
}

/** Defines a route that requires no key, and rejects an invalid one. */
export function withOptionalKey(
  method: Method,
  path: string,
  createHandler: (dependencies: RouteDependencies) => Handler,
  operation: Operation,
): Route {
  return defineRoute(method, path, "optional key", operation, (dependencies) => {
    const handler = createHandler(dependencies);
    return async (context) => {
      const hasKey = context.req.headers.authorization !== undefined;
      if (hasKey) await dependencies.authenticate(context);
      await handler(context);
    };
  });
}

/** Defines a route that ignores keys. */
export function withoutKey(
  method: Method,
  path: string,
  createHandler: (dependencies: RouteDependencies) => Handler,
  operation: Operation,
): Route {
  return defineRoute(method, path, "none", operation, createHandler);
}

/**
 * Defines a route that takes WebSocket upgrades with an API key. The upgrade handler authenticates
 * itself, because the key may be among the sub-protocols.
 */
export function webSocket(
  path: string,
  createUpgradeHandler: (dependencies: RouteDependencies) => UpgradeHandler,
  operation: Operation,
): Route {
  const rejectWithoutUpgrade: KeyedHandler = async () => {
    throw invalidParam(
      "Upgrade",
      "must be websocket: this address accepts WebSocket upgrades only",
    );
  };
  return { ...withKey("GET", path, () => rejectWithoutUpgrade, operation), createUpgradeHandler };
}

function defineRoute(
  method: Method,
  path: string,
  auth: Auth,
  operation: Operation,
  createHandler: (dependencies: RouteDependencies) => Handler,
): Route {
  const callsProvider = operation.errors?.includes("no_provider_available") === true;
  return {
    method,
    path,
    auth,
    operation,
    createHandler: callsProvider
      ? createHandler
      : (dependencies) => withInternalErrors(createHandler(dependencies), dependencies),
  };
}

/** On a route that calls no provider, a service that cannot be reached is an internal error. */
function withInternalErrors(handler: Handler, { log }: RouteDependencies): Handler {
  return async (context) => {
    try {
      await handler(context);
    } catch (error) {
      throw context.signal.aborted ? error : toInternalError(error, log);
    }
  };
}
