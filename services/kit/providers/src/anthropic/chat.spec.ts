import { GatewayError } from "@tollgate/core/errors";
import { type JsonObject, objectsIn } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import { expect, test } from "vitest";
import { claude } from "../../test/kinds.ts";
import {
  rejectionReason,
  respondWithJson,
  sendEvents,
  startProvider,
} from "../../test/provider-of-kind.ts";

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

const base = { messages: [{ role: "user", content: "Hi" }], max_completion_tokens: 4_000 };

const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];

test.each<[string, JsonObject]>([
  ["temperature", { temperature: 1.5 }],
  ["top_p", { temperature: 0.5, top_p: 0.5 }],
  ["temperature", { temperature: 0.5, reasoning_effort: "low" }],
  ["top_k", { top_k: 5, reasoning_effort: "low" }],
  ["tool_choice", { tools, tool_choice: "required", reasoning_effort: "low" }],
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
  const { check } = await startProvider(claude);
  const error = await rejectionReason(check({ ...base, ...more }));
  expect(error).toBeInstanceOf(GatewayError);
  expect(error).toMatchObject({ code: "invalid_param", param });
});

test.each([
  [undefined, 4_000, undefined],
  ["low", 10_000, 2_000],
  ["low", 2_000, 1_024],
  ["max", 10_000, 9_500],
  ["low", 1_024, undefined],
])("thinking with the effort %s fits in an output limit of %i", async (effort, limit, budget) => {
  const { bodies, post } = await startProvider(claude);
  await post({ ...base, max_completion_tokens: limit, reasoning_effort: effort });
  const thinking = budget && { type: "enabled", budget_tokens: budget };
  expect(bodies[0]).toMatchObject({ max_tokens: limit, ...(thinking && { thinking }) });
  if (budget === undefined) expect(bodies[0]).not.toHaveProperty("thinking");
});

test("thinking fits in the model's own output limit where that of the request is higher", async () => {
  const { bodies, post } = await startProvider(claude);
  await post({ ...base, max_completion_tokens: 500_000, reasoning_effort: "low" });
  const thinking = { type: "enabled", budget_tokens: 12_800 };
  expect(bodies[0]).toMatchObject({ max_tokens: 64_000, thinking });
});

const called = { name: "f", arguments: "{}" };

/** A turn that has called two tools, with their results. */
function loop(ids: readonly string[], more: object = {}): JsonObject[] {
  const tool_calls = ids.map((id) => ({ id, type: "function", function: called }));
  return [
    { role: "user", content: "Hi" },
    { role: "assistant", content: null, tool_calls, ...more },
    ...ids.map((tool_call_id) => ({ role: "tool", tool_call_id, content: "ok" })),
  ];
}

test("the ids of calls are as Anthropic takes them, the same in a call and its result", async () => {
  const { bodies, post } = await startProvider(claude);
  await post({ ...base, messages: loop(["toolu_01A", "functions.f:0"]), tools });
  const [, turn, results] = objectsIn(bodies[0]?.messages) as { content: JsonObject[] }[];
  const ids = turn?.content.map(({ id }) => id);
  expect(ids).toEqual(["toolu_01A", expect.stringMatching(/^toolu_[0-9a-f]{24}$/)]);
  expect(results?.content.map(({ tool_use_id }) => tool_use_id)).toEqual(ids);
});

test.each([
  ["that Anthropic signed", { signature: "EqQB" }, true],
  ["without a signature", { signature: "" }, false],
])("a turn that has called tools goes on with thinking %s", async (_, signed, thinks) => {
  const { bodies, post } = await startProvider(claude);
  const detail = { type: "reasoning.text", text: "Hm.", format: "anthropic-claude-v1", index: 0 };
  const messages = loop(["toolu_01A"], { reasoning_details: [{ ...detail, ...signed }] });
  await post({ ...base, messages, tools, reasoning_effort: "low" });
  const [, turn] = objectsIn(bodies[0]?.messages) as { content: JsonObject[] }[];
  const types = turn?.content.map(({ type }) => type);
  expect(types).toEqual(thinks ? ["thinking", "tool_use"] : ["tool_use"]);
  expect(bodies[0]?.thinking !== undefined).toBe(thinks);
});

test("marks of the prompt cache are sent", async () => {
  const { bodies, post } = await startProvider(claude);
  const mark = { cache_control: { type: "ephemeral", ttl: "1h" } };
  const part = { type: "text", text: "Long", ...mark };
  const messages = ["system", "user"].map((role) => ({ role, content: [part] }));
  await post({ ...base, messages });
  expect(bodies[0]).toMatchObject({ system: [part], messages: [{ content: [part] }] });
});

test("a documented stream becomes chunks, with Anthropic's usage in the first and the last", async () => {
  const { stream } = await startProvider(claude, (response) => sendEvents(response, basicStream));
  const chunks = await stream({ ...base, stream: true });
  const id = "msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGzszyY";
  const choice = { index: 0, logprobs: null, finish_reason: null };
  expect(chunks).toMatchObject([
    { choices: [], usage: { input_tokens: 25, output_tokens: undefined } },
    { id, choices: [{ ...choice, delta: { role: "assistant", content: "Hello" } }] },
    { id, choices: [{ ...choice, delta: { content: "!" } }] },
    { id, choices: [{ ...choice, delta: {}, finish_reason: "stop" }] },
    { id, choices: [], usage: { input_tokens: 25, output_tokens: 15 } },
  ]);
});

test.each([
  [400, "invalid_request_error", "bad_request"],
  [401, "authentication_error", "key_or_bill"],
  [402, "billing_error", "key_or_bill"],
  [403, "permission_error", "bad_request"],
  [404, "not_found_error", "bad_request"],
  [413, "request_too_large", "too_large"],
  [429, "rate_limit_error", "rate"],
  [500, "api_error", "trouble"],
  [529, "overloaded_error", "trouble"],
])("a %i %s is %s, in a stream, too", async (status, type, meaning) => {
  const body = { type: "error", error: { type, message: "No" } };
  const refusing = await startProvider(claude, (response) =>
    respondWithJson(response, status, body),
  );
  const refused = await rejectionReason(refusing.post(base));
  const streaming = await startProvider(claude, (response) =>
    sendEvents(response, `event: error\ndata: ${JSON.stringify(body)}\n\n`),
  );
  const broken = await rejectionReason(streaming.stream({ ...base, stream: true }));
  for (const failure of [refused, broken]) {
    expect(failure).toBeInstanceOf(SlotFailure);
    expect(failure).toMatchObject({ kind: "rejected", status, meaning });
  }
});
