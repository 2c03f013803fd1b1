import { GatewayError, PeerError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { expect, test } from "vitest";
import type { RequestContext } from "../http/request-context.ts";
import type { Operation } from "../openapi/operation.ts";
import type { RouteDependencies } from "./dependencies.ts";
import { withKey, withOptionalKey, withoutKey, withSettlementKey } from "./route.ts";

const operation: Operation = { id: "test", tag: "Gateway", summary: "Test", responses: {} };
const principal = { keyId: "key_1", accountId: "acct_1", channel: "", keyHash: "" };

function createDependencies(channel = ""): RouteDependencies {
  const authenticate = async () => ({ ...principal, channel });
  return { authenticate, log: createLog("silent") } as unknown as RouteDependencies;
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
  const withProvider: Operation = { ...operation, errors: ["no_provider_available"] };
  const route = withKey("GET", "/test", () => () => Promise.reject(error), withProvider);
  await expect(route.createHandler(createDependencies())(createContext())).rejects.toBe(error);
});

test("a settlement route rejects every other key", async () => {
  const route = withSettlementKey("POST", "/test", () => async () => {}, operation);
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
