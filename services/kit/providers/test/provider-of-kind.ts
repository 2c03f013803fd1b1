import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Slot } from "@tollgate/catalog/model";
import { parseCatalog } from "@tollgate/catalog/parse";
import type { JsonObject } from "@tollgate/core/json";
import { createProviderClient } from "@tollgate/upstream/provider-client";
import { expect, onTestFinished } from "vitest";
import type { ChatAdapter } from "../src/ai-sdk/chat-adapter.ts";

/** A kind of providers under test: its adapter, one of its models and a whole response. */
export interface KindUnderTest {
  kind: "anthropic" | "bedrock" | "cohere" | "google" | "mistral";
  adapter: ChatAdapter;
  modelId: string;
  response: object;
}

/** Starts a provider that records the requests that it is sent, and a slot of it. */
export async function startProvider(
  { kind, adapter, modelId, response }: KindUnderTest,
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
  const slot = slotAt(kind, modelId, `http://127.0.0.1:${port}/v1`);
  const post = async (request: JsonObject) => {
    const accept = request.stream ? ("text/event-stream" as const) : ("application/json" as const);
    const { signal } = new AbortController();
    const call = { accept, requestId: "req_1", signal };
    const { body } = await adapter.post(providers, slot, request, call);
    let text = "";
    for await (const chunk of body) text += chunk.toString();
    return text;
  };
  const check = (request: JsonObject) => adapter.check(slot, request);
  return { bodies, urls, check, post };
}

function slotAt(kind: string, model: string, base_url: string): Slot {
  const chat = { route_type: "chat", context_tokens: 10, max_output_tokens: 5 };
  const pricing = { input: "1", output: "1" };
  const region = kind === "bedrock" ? { region: "us-east-1" } : {};
  const providers = { p: { kind, base_url, api_key_env: "KEY", timeout_seconds: 5, ...region } };
  const models = [{ alias: "a", ...chat, pricing, chain: [{ provider: "p", model }] }];
  const { models: parsed } = parseCatalog(JSON.stringify({ providers, models }));
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

/** Returns the chunks of a stream in OpenAI's form, which must end with `[DONE]`. */
export function parsedChunks(text: string): JsonObject[] {
  const events = text.trim().split("\n\n");
  expect(events.pop()).toBe("data: [DONE]");
  return events.map((event) => JSON.parse(event.slice("data: ".length)) as JsonObject);
}

export function rejectionReason(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => error,
  );
}
