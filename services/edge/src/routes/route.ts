import { type GatewayError, invalidParam } from "@tollgate/core/errors";
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
import { type ApiVariant, type HandlerRules, isFree, type RouteRules } from "./route-rules.ts";

export type Method = "GET" | "POST" | "DELETE";

/** One row of the route table. */
export interface Route extends RouteRules {
  method: Method;
  /** An OpenAPI path template with at most one parameter. The parameter may contain slashes. */
  path: string;
  /** Describes the route to clients, besides its rules. */
  operation: Operation;
  /** Creates the handler, which authenticates first. */
  createHandler(dependencies: RouteDependencies): Handler;
  /** On a route that takes WebSocket upgrades. */
  createUpgradeHandler?(dependencies: RouteDependencies): UpgradeHandler;
}

type Create<Made> = (dependencies: RouteDependencies, rules: HandlerRules) => Made;
/** The rules of a route that requires a key: by default `key`, and no query parameters. */
type KeyRules = Partial<RouteRules & { auth: Exclude<Auth, "optional key" | "none"> }>;

/** Defines a route that charges for its response, and stores it for an idempotency key. */
export function replayed(
  path: string,
  createHandler: Create<KeyedHandler>,
  operation: Operation,
  rules: KeyRules = {},
): Route {
  const all: KeyRules = { ...charged, idempotencyKey: "replays", ...rules };
  return withKey("POST", path, createHandler, operation, all);
}

/** Defines a route that charges for its response. A retry runs again, and is charged again. */
export function repeated(
  path: string,
  createHandler: Create<KeyedHandler>,
  operation: Operation,
): Route {
  const rules: KeyRules = { ...charged, idempotencyKey: "ignored" };
  return withKey("POST", path, createHandler, operation, rules);
}

const charged: KeyRules = { wallet: "charged", calls: "provider" };

/** Defines a route that requires an API key. */
export function withKey(
  method: Method,
  path: string,
  createHandler: Create<KeyedHandler>,
  operation: Operation,
  rules: KeyRules = {},
): Route {
  const all = { auth: "key", query: [], ...rules } as const;
  const { auth } = all;
  return defineRoute(method, path, operation, all, (dependencies, handlerRules) => {
    const handler = createHandler(dependencies, handlerRules);
    return async (context) => {
      const principal = await authenticate(dependencies, context, auth);
      if (auth === "settlement key") requireSettlementKey(principal);
      if (isFree(all)) dependencies.freeCalls.count(principal);
      if (all.wallet === undefined) handlerRules.checkQuery(context.req);
      await handler(context, principal);
    };
  });
}

/**
 * Defines a route that requires no key, and rejects an invalid one. Clients that send the header of
 * `variant` may have the key in either header.
 */
export function withOptionalKey(
  method: Method,
  path: string,
  createHandler: Create<OptionalKeyHandler>,
  operation: Operation,
  variant?: ApiVariant,
): Route {
  const { query = [], header, errorForm } = variant ?? {};
  const described: RouteRules = {
    auth: "optional key",
    query: [],
    ...(errorForm === undefined ? {} : { variantForm: errorForm }),
  };
  const names = query.map(({ name }) => name);
  return defineRoute(method, path, operation, described, (dependencies, rules) => {
    const handler = createHandler(dependencies, rules);
    return async (context) => {
      const { headers } = context.req;
      const isVariant = header !== undefined && headers[header] !== undefined;
      if (isVariant) context.errorForm = errorForm;
      const authorization = isVariant ? authorizationOf(headers) : headers.authorization;
      const principal =
        authorization === undefined
          ? undefined
          : await dependencies.authenticate(context, authorization);
      rejectInvalidQuery(context.req, isVariant ? names : []);
      await handler(context, principal);
    };
  });
}

function authenticate(
  dependencies: RouteDependencies,
  context: RequestContext,
  auth: Auth,
): Promise<Principal> {
  const { headers } = context.req;
  const authorization = auth === "key in either header" ? authorizationOf(headers) : undefined;
  return dependencies.authenticate(context, authorization);
}

/** Defines a route that ignores keys. Without `query`, it ignores query parameters, too. */
export function withoutKey(
  method: Method,
  path: string,
  createHandler: Create<Handler>,
  operation: Operation,
  rules: Pick<RouteRules, "query"> = {},
): Route {
  const all: RouteRules = { auth: "none", ...rules };
  return defineRoute(method, path, operation, all, (dependencies, handlerRules) => {
    const handler = createHandler(dependencies, handlerRules);
    return async (context) => {
      handlerRules.checkQuery(context.req);
      await handler(context);
    };
  });
}

/**
 * Defines a route that takes WebSocket upgrades with an API key. The upgrade handler authenticates
 * itself, because the key may be among the sub-protocols.
 */
export function webSocket(
  path: string,
  createUpgradeHandler: Create<UpgradeHandler>,
  operation: Operation,
): Route {
  const rules: KeyRules = { query: [], wallet: "checked" };
  const handlerRules = handlerRulesOf(rules);
  const rejectWithoutUpgrade: KeyedHandler = async ({ req }) => {
    handlerRules.checkQuery(req);
    throw upgradeRequired();
  };
  return {
    ...withKey("GET", path, () => rejectWithoutUpgrade, operation, rules),
    createUpgradeHandler: (dependencies) => createUpgradeHandler(dependencies, handlerRules),
  };
}

/** Returns the error of a request without an upgrade to a route that takes WebSockets. */
export function upgradeRequired(): GatewayError {
  return invalidParam("Upgrade", "must be websocket: this address accepts WebSocket upgrades only");
}

function defineRoute(
  method: Method,
  path: string,
  operation: Operation,
  rules: RouteRules,
  createHandler: Create<Handler>,
): Route {
  const handlerRules = handlerRulesOf(rules);
  return {
    method,
    path,
    ...rules,
    operation,
    createHandler(dependencies) {
      const handler = createHandler(dependencies, handlerRules);
      return rules.calls === "provider" ? handler : withInternalErrors(handler, dependencies);
    },
  };
}

function handlerRulesOf({
  query,
  idempotencyKey,
  isResponseData,
}: Partial<RouteRules>): HandlerRules {
  const names = query?.map(({ name }) => name);
  return {
    checkQuery(req) {
      if (names !== undefined) rejectInvalidQuery(req, names);
    },
    isReplayed: idempotencyKey === "replays",
    isResponseData: isResponseData === true,
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
