import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { SharedV4Warning } from "@ai-sdk/provider";
import type { Slot } from "@tollgate/catalog/model";
import { parseCatalog } from "@tollgate/catalog/parse";
import type { JsonObject } from "@tollgate/core/json";
import { createProviderClient } from "@tollgate/upstream/provider-client";
import { expect, onTestFinished } from "vitest";
import type { ChatAdapter } from "../src/chat-adapter.ts";
import { vendors } from "../src/index.ts";
import type { Vendor } from "../src/vendor.ts";

/** A kind of providers under test: its adapter, one of its models and a whole response. */
export interface KindUnderTest {
  vendor: Vendor;
  adapter: ChatAdapter;
  modelId: string;
  response: object;
  /** The members that the kind takes, and not this model. */
  refuses?: readonly string[];
  /** Whether a warning of its package is of nothing that the client has sent. */
  isHarmless?(warning: SharedV4Warning): boolean;
}

/** A chunk of a chat completion. */
export type ParsedChunk = JsonObject & { choices: JsonObject[] };

/** Starts a provider that records the requests that it is sent, and a slot of it. */
export async function startProvider(
  { vendor, adapter, modelId, response }: KindUnderTest,
  respond: (response: ServerResponse) => void = (res) => respondWithJson(res, 200, response),
) {
  const bodies: JsonObject[] = [];
  const urls: string[] = [];
  const server = createServer(async (request, sent) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    bodies.push(JSON.parse(text) as JsonObject);
    urls.push(request.url ?? "");
    respond(sent);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const providers = createProviderClient({ KEY: "secret" });
  onTestFinished(async () => {
    await providers.close();
    server.close();
    server.closeAllConnections();
  });
  const slot = slotAtAddress(vendor, modelId, `http://127.0.0.1:${port}/v1`);
  const post = async (request: JsonObject) => {
    const { signal } = new AbortController();
    return adapter.complete(providers, slot, request, { requestId: "req_1", signal });
  };
  const stream = async (request: JsonObject) => {
    const { signal } = new AbortController();
    const call = { requestId: "req_1", signal };
    const chunks: ParsedChunk[] = [];
    for await (const chunk of await adapter.stream(providers, slot, request, call)) {
      chunks.push(chunk as ParsedChunk);
    }
    return chunks;
  };
  const check = async (request: JsonObject) => adapter.check(slot, request);
  return { bodies, urls, check, post, stream };
}

/** Returns a slot of a model, whose provider is at an address. */
export function slotAtAddress({ name, regions }: Vendor, model: string, base_url: string): Slot {
  const chat = { route_type: "chat", context_tokens: 10, max_output_tokens: 5 };
  const pricing = { input: "1", cache_write_1h: "1", output: "1" };
  const region = regions === undefined ? {} : { region: regions.example };
  const providers = {
    p: { kind: name, base_url, api_key_env: "KEY", timeout_seconds: 5, ...region },
  };
  const models = [{ alias: "a", ...chat, pricing, chain: [{ provider: "p", model }] }];
  const { models: parsed } = parseCatalog(JSON.stringify({ providers, models }), vendors);
  return parsed.get("a")?.chain[0] as Slot;
}

export function respondWithJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

export function sendEvents(response: ServerResponse, events: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(events);
}

export function rejectionReason(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => error,
  );
}
