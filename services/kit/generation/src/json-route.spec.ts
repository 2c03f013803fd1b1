import type { Model, Slot } from "@tollgate/catalog/model";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { Cancellation } from "@tollgate/core/cancellation";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { vendors } from "@tollgate/providers";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import { expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import type { Generation } from "./generation.ts";
import { type JsonCall, type JsonRoute, serveJson } from "./json-route.ts";

const route: JsonRoute<JsonCall> = {
  routeType: "rerank",
  bound: () => 1n,
  measure: () => ({ quantity: 1n, basis: "request" }),
};

/** Serves one call whose only slot responds with a 200 and `text`. */
function serve(text: string, lists?: readonly string[]) {
  const provider = { kind: vendors.openai as ProviderKind };
  const slot = { provider, upstreamModel: "m", pricing: {} } as Slot;
  const model = { chain: [] as readonly Slot[] } as Model;
  const generation = {
    held: 0n,
    attempt: async <R>(call: (one: Slot) => Promise<R>) => ({ slot, response: await call(slot) }),
    identify() {},
    settle: async () => 0n,
  } as unknown as Generation;
  const engine = {
    resolve: () => model,
    generate: <T>(_call: unknown, work: (one: Generation) => Promise<T>) => work(generation),
  } as unknown as Engine;
  async function* body() {
    yield Buffer.from(text);
  }
  const providers = {
    post: async () => ({ status: 200, contentType: "application/json", body: body() }),
  } as unknown as ProviderClient;
  const call = { caller: {} as Caller, alias: "a", body: Buffer.from("{}") };
  return serveJson(
    { engine, providers },
    lists ? { ...route, lists } : route,
    call,
    new Cancellation(),
  );
}

test.each([
  '{"error":{"message":"no"},"results":[]}',
  '{"error":"no"}',
  '{"error":{},"results":[]}',
])("%s with status 200 is a failure of the slot", async (text) => {
  await expect(serve(text)).rejects.toMatchObject({ name: "SlotFailure", passesOn: true });
});

test.each([
  '{"error":null,"results":[]}',
  '{"error":false}',
  '{"error":""}',
  "{}",
  '["error"]',
])("%s reports no error", async (text) => {
  expect(Buffer.from((await serve(text)).bytes).toString()).toBe(text);
});

test.each([
  '{"results":[]}',
  '{"data":[]}',
  '{"data":{},"results":[5]}',
  "[]",
])("%s is accepted where results or data must be a list", async (text) => {
  expect(Buffer.from((await serve(text, ["results", "data"])).bytes).toString()).toBe(text);
});

test.each([
  "{}",
  '{"results":{}}',
  '{"data":null,"results":"x"}',
  '{"other":[]}',
])("%s is refused where results or data must be a list", async (text) => {
  const serving = serve(text, ["results", "data"]);
  await expect(serving).rejects.toMatchObject({ name: "SlotFailure", passesOn: true });
});
