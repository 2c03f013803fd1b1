import { GatewayError, PeerError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { expect, test } from "vitest";
import type { RequestContext } from "../http/request-context.ts";
import type { Operation } from "../openapi/operation.ts";
import type { RouteDependencies } from "./dependencies.ts";
import { withKey, withOptionalKey, withoutKey } from "./route.ts";

const operation: Operation = { id: "test", tag: "Gateway", summary: "Test", responses: {} };
const principal = { keyId: "key_1", accountId: "acct_1", channel: "", keyHash: "" };

function createDependencies(channel = ""): RouteDependencies {
  const authenticate = async () => ({ ...principal, channel });
  const freeCalls = { count() {} };
  return { authenticate, freeCalls, log: createLog("silent") } as unknown as RouteDependencies;
}

function createContext(headers: object = {}): RequestContext {
  return { req: { headers }, signal: new AbortController().signal } as unknown as RequestContext;
}

test.each([
  ["an unreachable service is an internal error", new PeerError("unavailable", "down"), 500],
  ["a service's own error is sent", new GatewayError("no_provider_available", "none"), 503],
])("on a route without a provider, %s", async (_, error, status) => {
  const route = withoutKey("GET", "/test", () => () => Promise.reject(error), operation);
  const handler = route.createHandler(createDependencies());
  await expect(handler(createContext())).rejects.toMatchObject({ status });
});

test("on a route with a provider, an unreachable service stays one", async () => {
  const error = new PeerError("unavailable", "down");
  const fail = () => () => Promise.reject(error);
  const route = withKey("GET", "/test", fail, operation, { calls: "provider" });
  await expect(route.createHandler(createDependencies())(createContext())).rejects.toBe(error);
});

test("a settlement route rejects every other key", async () => {
  const auth = "settlement key";
  const route = withKey("POST", "/test", () => async () => {}, operation, { auth });
  const rejected = route.createHandler(createDependencies())(createContext());
  await expect(rejected).rejects.toMatchObject({ code: "channel_key_required" });
  await route.createHandler(createDependencies("settlement"))(createContext());
});

test("a route with an optional key authenticates only a request that has one", async () => {
  const authenticate = () => Promise.reject(new GatewayError("invalid_api_key", "Unknown."));
  const dependencies = { ...createDependencies(), authenticate };
  const handler = withOptionalKey("GET", "/test", () => async () => {}, operation).createHandler(
    dependencies,
  );
  await handler(createContext());
  const rejected = handler(createContext({ authorization: "Bearer x" }));
  await expect(rejected).rejects.toMatchObject({ code: "invalid_api_key" });
});

test("a route takes its own query parameters, and its handler checks them where it checks the wallet", async () => {
  const rules = { query: [{ name: "page", description: "A page.", schema: {} }] };
  const checked = { ...rules, wallet: "checked" } as const;
  const queried = (query: string) => {
    const context = createContext();
    return { ...context, req: { ...context.req, url: `/test?${query}` } } as RequestContext;
  };
  const dependencies = createDependencies();
  const early = withKey("GET", "/test", () => async () => {}, operation, rules);
  const handler = early.createHandler(dependencies);
  await handler(queried("page=1"));
  await expect(handler(queried("pages=1"))).rejects.toMatchObject({ code: "unknown_param" });
  const seen: string[] = [];
  const create: Parameters<typeof withKey>[2] = (_, { checkQuery }) => {
    return async ({ req }) => {
      seen.push("wallet");
      checkQuery(req);
    };
  };
  const late = withKey("GET", "/test", create, operation, checked).createHandler(dependencies);
  await expect(late(queried("pages=1"))).rejects.toMatchObject({ code: "unknown_param" });
  expect(seen).toEqual(["wallet"]);
});

test("a route without query parameters refuses them, and a public one ignores them unless it says so", async () => {
  const context = createContext();
  const queried = { ...context, req: { headers: {}, url: "/test?a=1" } } as RequestContext;
  const dependencies = createDependencies();
  const done = () => async () => {};
  const keyed = withKey("GET", "/test", done, operation).createHandler(dependencies);
  await expect(keyed(queried)).rejects.toMatchObject({ code: "unknown_param" });
  await withoutKey("GET", "/test", done, operation).createHandler(dependencies)(queried);
  const strict = withoutKey("GET", "/test", done, operation, { query: [] });
  const refused = strict.createHandler(dependencies)(queried);
  await expect(refused).rejects.toMatchObject({ code: "unknown_param" });
});
