import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type ChatMember, chatMembers, type Slot } from "@tollgate/catalog/model";
import { kindProperties } from "@tollgate/catalog/provider-kinds";
import { GatewayError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import { createProviderClient } from "@tollgate/upstream/provider-client";
import { expect, onTestFinished, test } from "vitest";
import { anthropicChat } from "./chat.ts";

const signal = new AbortController().signal;
const modelId = "claude-sonnet-4-5";

/**
 * The streams of Anthropic's documentation:
 * https://docs.claude.com/en/docs/build-with-claude/streaming
 */
const basicStream = `event: message_start
data: {"type": "message_start", "message": {"id": "msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGzszyY", "type": "message", "role": "assistant", "content": [], "model": "claude-sonnet-4-5", "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 25, "output_tokens": 1}}}

event: content_block_start
data: {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello"}}

event: content_block_delta
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "!"}}

event: content_block_stop
data: {"type": "content_block_stop", "index": 0}

event: message_delta
data: {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence":null}, "usage": {"output_tokens": 15}}

event: message_stop
data: {"type": "message_stop"}

`;

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: modelId,
  content: [{ type: "text", text: "Hi!" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 5, output_tokens: 2 },
};

/** Starts a provider that records the bodies that it is sent, and a slot of it. */
async function world(respond: (response: ServerResponse) => void = (res) => sendJson(res, 200)) {
  const bodies: JsonObject[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    bodies.push(JSON.parse(text) as JsonObject);
    respond(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const providers = createProviderClient({ KEY: "secret" });
  onTestFinished(async () => {
    await providers.close();
    server.close();
    server.closeAllConnections();
  });
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const kind = "anthropic" as const;
  const provider = { name: "claude", kind, baseUrl, apiKeyEnv: "KEY", timeoutMs: 5_000 };
  const slot = { id: "claude/a", provider, path: "/messages", upstreamModel: modelId } as Slot;
  const post = async (request: JsonObject) => {
    const accept = request.stream ? ("text/event-stream" as const) : ("application/json" as const);
    const call = { accept, requestId: "req_1", signal };
    const response = await anthropicChat.post(providers, slot, request, call);
    let text = "";
    for await (const chunk of response.body) text += chunk.toString();
    return text;
  };
  return { bodies, slot, post };
}

function sendJson(response: ServerResponse, status: number, body: object = message): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => error,
  );
}

const base = { messages: [{ role: "user", content: "Hi" }], max_completion_tokens: 4_000 };

/** A value of each member that changes the request. */
const values: Record<ChatMember, unknown> = {
  model: "a",
  messages: base.messages,
  stream: true,
  max_completion_tokens: 50,
  max_tokens: 50,
  temperature: 0.5,
  top_p: 0.5,
  top_k: 5,
  min_p: 0.5,
  frequency_penalty: 0.5,
  presence_penalty: 0.5,
  stop: ["a"],
  seed: 1,
  n: 2,
  logit_bias: { 1: 1 },
  user: "u",
  parallel_tool_calls: false,
  tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }],
  tool_choice: "required",
  response_format: { type: "json_object" },
  reasoning_effort: "low",
  stream_options: { include_usage: true },
  metadata: { user_id: "u" },
  logprobs: true,
  top_logprobs: 1,
  session_id: "s",
  store: true,
  service_tier: "auto",
};

/** The members that the gateway sets, which never reach the check as the client's. */
const own = ["model", "messages", "stream", "stream_options"];

test.each(
  chatMembers.filter((member) => !own.includes(member)),
)("%s is either sent to Anthropic or refused by name", async (member) => {
  const { bodies, slot, post } = await world();
  const tools = ["tool_choice", "parallel_tool_calls"].includes(member)
    ? { tools: values.tools }
    : {};
  const request = { ...base, ...tools, [member]: values[member] };
  const refusal = await anthropicChat.check(slot, request).catch((error: unknown) => error);
  if (!kindProperties.anthropic.chatParameters.has(member)) {
    expect(refusal).toMatchObject({ code: "invalid_param", param: member });
    return;
  }
  expect(refusal).toBeUndefined();
  await post({ ...base, ...tools });
  await post(request);
  const [without, sent] = bodies;
  const isSet = member === "max_completion_tokens" || member === "max_tokens";
  if (!isSet) expect(sent).not.toEqual(without);
});

test.each<[string, JsonObject]>([
  ["temperature", { temperature: 1.5 }],
  ["top_p", { temperature: 0.5, top_p: 0.5 }],
  ["temperature", { temperature: 0.5, reasoning_effort: "low" }],
  ["top_k", { top_k: 5, reasoning_effort: "low" }],
  ["tool_choice", { tools: values.tools, tool_choice: "required", reasoning_effort: "low" }],
  ["tools[0].type", { tools: [{ type: "web_search" }] }],
  ["response_format.type", { response_format: { type: "grammar" } }],
  ["messages[0].name", { messages: [{ role: "user", content: "a", name: "b" }] }],
  [
    "messages[0].content[0].image_url.url",
    {
      messages: [
        {
          role: "user",
          content: [{ type: "image_url", image_url: { url: "http://a/b.png" } }],
        },
      ],
    },
  ],
])("what the library would leave out is refused as %s: %j", async (param, more) => {
  const { slot } = await world();
  const error = await failureOf(anthropicChat.check(slot, { ...base, ...more }));
  expect(error).toBeInstanceOf(GatewayError);
  expect(error).toMatchObject({ code: "invalid_param", param });
});

test("a member that the API does not define is refused", async () => {
  const { slot } = await world();
  const error = await failureOf(anthropicChat.check(slot, { ...base, prediction: {} }));
  expect(error).toMatchObject({ code: "unknown_param", param: "prediction" });
});

test.each([
  [undefined, 4_000, undefined],
  ["low", 10_000, 2_000],
  ["low", 2_000, 1_024],
  ["max", 10_000, 9_500],
  ["low", 1_024, undefined],
])("thinking with the effort %s fits in an output limit of %i", async (effort, limit, budget) => {
  const { bodies, post } = await world();
  await post({ ...base, max_completion_tokens: limit, reasoning_effort: effort });
  const thinking = budget && { type: "enabled", budget_tokens: budget };
  expect(bodies[0]).toMatchObject({ max_tokens: limit, ...(thinking && { thinking }) });
  if (budget === undefined) expect(bodies[0]).not.toHaveProperty("thinking");
});

test("marks of the prompt cache are sent", async () => {
  const { bodies, post } = await world();
  const mark = { cache_control: { type: "ephemeral", ttl: "1h" } };
  const part = { type: "text", text: "Long", ...mark };
  const messages = ["system", "user"].map((role) => ({ role, content: [part] }));
  await post({ ...base, messages });
  expect(bodies[0]).toMatchObject({ system: [part], messages: [{ content: [part] }] });
});

test("a documented stream becomes chunks, with Anthropic's usage in the last", async () => {
  const { post } = await world((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(basicStream);
  });
  const events = (await post({ ...base, stream: true })).trim().split("\n\n");
  expect(events.at(-1)).toBe("data: [DONE]");
  const chunks = events.slice(0, -1).map((event) => JSON.parse(event.slice(6)) as JsonObject);
  const id = "msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGzszyY";
  const choice = { index: 0, logprobs: null, finish_reason: null };
  expect(chunks).toMatchObject([
    { id, choices: [{ ...choice, delta: { role: "assistant", content: "Hello" } }] },
    { id, choices: [{ ...choice, delta: { content: "!" } }] },
    { id, choices: [{ ...choice, delta: {}, finish_reason: "stop" }] },
    { id, choices: [], usage: { input_tokens: 25, output_tokens: 15 } },
  ]);
});

test.each([
  [400, "invalid_request_error", false, false],
  [401, "authentication_error", false, false],
  [403, "permission_error", false, false],
  [404, "not_found_error", false, false],
  [413, "request_too_large", false, false],
  [429, "rate_limit_error", true, true],
  [500, "api_error", true, true],
  [529, "overloaded_error", true, true],
])("a %i %s goes on to the next slot: %s", async (status, type, passesOn, countsAgainstSlot) => {
  const body = { type: "error", error: { type, message: "No" } };
  const refusing = await world((response) => sendJson(response, status, body));
  const refused = await failureOf(refusing.post(base));
  const streaming = await world((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`event: error\ndata: ${JSON.stringify(body)}\n\n`);
  });
  const broken = await failureOf(streaming.post({ ...base, stream: true }));
  for (const failure of [refused, broken]) {
    expect(failure).toBeInstanceOf(SlotFailure);
    expect(failure).toMatchObject({ kind: "rejected", status, passesOn, countsAgainstSlot });
  }
});

test("a response that is not a message is a failure of the slot", async () => {
  const { post } = await world((response) => sendJson(response, 200, { a: 1 }));
  const failure = await failureOf(post(base));
  expect(failure).toBeInstanceOf(SlotFailure);
  expect(failure).toMatchObject({ kind: "rejected", passesOn: true });
});
