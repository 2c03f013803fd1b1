import type { IncomingMessage } from "node:http";
import { type ErrorCode, invalidParam } from "@tollgate/core/errors";
import {
  type Auth,
  authorizationOf,
  type Principal,
  requireSettlementKey,
} from "../auth/authenticate.ts";
import { toInternalError } from "../http/error-response.ts";
import type { Handler, KeyedHandler, OptionalKeyHandler } from "../http/handler.ts";
import { rejectInvalidQuery } from "../http/query.ts";
import type { RequestContext } from "../http/request-context.ts";
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
  return defineRoute(method, path, "key", operation, (dependencies, checkQuery) => {
    const handler = createHandler(dependencies);
    return async (context) => {
      const principal = await authenticate(dependencies, context);
      checkQuery(context.req);
      await handler(context, principal);
    };
  });
}

/**
 * Defines a route of another wire: its API key is also accepted in `x-api-key`, and its errors have
 * the form of its operation.
 */
export function withKeyInEitherHeader(
  path: string,
  createHandler: (dependencies: RouteDependencies) => KeyedHandler,
  operation: Operation,
): Route {
  return defineRoute("POST", path, "key in either header", operation, (dependencies) => {
    const handler = createHandler(dependencies);
    return async (context) => {
      context.errorForm = operation.errorForm;
      const authorization = authorizationOf(context.req.headers);
      const principal = await authenticate(dependencies, context, authorization);
      await handler(context, principal);
    };
  });
}

/** Defines a route that requires the key of a settlement channel. */
export function withSettlementKey(
  method: Method,
  path: string,
  createHandler: (dependencies: RouteDependencies) => KeyedHandler,
  operation: Operation,
): Route {
  return defineRoute(method, path, "settlement key", operation, (dependencies, checkQuery) => {
    const handler = createHandler(dependencies);
    return async (context) => {
      const principal = await authenticate(dependencies, context);
      requireSettlementKey(principal);
      checkQuery(context.req);
      await handler(context, principal);
    };
  });
}

/** Defines a route that requires no key, and rejects an invalid one. */
export function withOptionalKey(
  method: Method,
  path: string,
  createHandler: (dependencies: RouteDependencies) => OptionalKeyHandler,
  operation: Operation,
): Route {
  return defineRoute(method, path, "optional key", operation, (dependencies, checkQuery) => {
    const handler = createHandler(dependencies);
    return async (context) => {
      const hasKey = context.req.headers.authorization !== undefined;
      const principal = hasKey ? await authenticate(dependencies, context) : undefined;
      checkQuery(context.req);
      await handler(context, principal);
    };
  });
}

async function authenticate(
  dependencies: RouteDependencies,
  context: RequestContext,
  authorization?: string,
): Promise<Principal> {
  const principal = await dependencies.authenticate(context, authorization);
  context.accountId = principal.accountId;
  return principal;
}

/** Defines a route that ignores keys and unknown query parameters. */
export function withoutKey(
  method: Method,
  path: string,
  createHandler: (dependencies: RouteDependencies) => Handler,
  operation: Operation,
): Route {
  // The wrapper drops `checkQuery`, which is not a parameter of `createHandler`.
  return defineRoute(method, path, "none", operation, (dependencies) =>
    createHandler(dependencies),
  );
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
  const rejectWithoutUpgrade: KeyedHandler = async ({ req }) => {
    rejectInvalidQuery(req);
    throw invalidParam(
      "Upgrade",
      "must be websocket: this address accepts WebSocket upgrades only",
    );
  };
  return { ...withKey("GET", path, () => rejectWithoutUpgrade, operation), createUpgradeHandler };
}

/** Throws for a query parameter that the route does not have, or that is repeated. */
type CheckQuery = (req: IncomingMessage) => void;

function defineRoute(
  method: Method,
  path: string,
  auth: Auth,
  operation: Operation,
  createHandler: (dependencies: RouteDependencies, checkQuery: CheckQuery) => Handler,
): Route {
  const errors = operation.errors ?? [];
  const names = (operation.parameters ?? []).flatMap((one) => (one.in === "query" ? one.name : []));
  const checksQuery = auth !== "none" && !errors.includes("credit_balance_exhausted");
  // A billable route checks its query after the wallet.
  const checkQuery: CheckQuery = checksQuery ? (req) => rejectInvalidQuery(req, names) : () => {};
  const create = (dependencies: RouteDependencies) => createHandler(dependencies, checkQuery);
  const callsProvider = errors.includes("no_provider_available");
  return {
    method,
    path,
    auth,
    operation: checksQuery
      ? { ...operation, errors: [...queryErrors(names), ...errors] }
      : operation,
    createHandler: callsProvider
      ? create
      : (dependencies) => withInternalErrors(create(dependencies), dependencies),
  };
}

/** Returns the errors of the query of a route with these query parameters. */
function queryErrors(names: readonly string[]): readonly ErrorCode[] {
  return names.length === 0 ? ["unknown_param"] : ["unknown_param", "invalid_param"];
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
