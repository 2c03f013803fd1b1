import type { ServerResponse } from "node:http";
import type { JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import { expect, test } from "vitest";
import { encodeEvent, encodeException } from "../../test/event-frames.ts";
import { bedrockUnderTest } from "../../test/kinds.ts";
import { rejectionReason, respondWithJson, startProvider } from "../../test/provider-of-kind.ts";

const user = { role: "user", content: "Hi" };
const base = { messages: [user], max_completion_tokens: 4_000 };
const tools = [
  { type: "function", function: { name: "top_song", parameters: { type: "object" } } },
];
const nova = { ...bedrockUnderTest, modelId: "us.amazon.nova-2-lite-v1:0" };
const gptOss = { ...bedrockUnderTest, modelId: "openai.gpt-oss-120b-1:0" };
const opus = { ...bedrockUnderTest, modelId: "us.anthropic.claude-opus-4-8-v1:0" };

/**
 * The response with a call of the reference:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html
 */
const calling = {
  output: {
    message: {
      role: "assistant",
      content: [
        {
          toolUse: {
            toolUseId: "tooluse_kZJMlvQmRJ6eAyJE5GIl7Q",
            name: "top_song",
            input: { sign: "WZPZ" },
          },
        },
      ],
    },
  },
  stopReason: "tool_use",
  usage: { inputTokens: 30, outputTokens: 10, totalTokens: 40 },
};

/**
 * The events of the reference, in their order:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
const thinkingEvents: [string, object][] = [
  ["messageStart", { role: "assistant" }],
  delta(0, { reasoningContent: { text: "Let me think" } }),
  delta(0, { reasoningContent: { signature: "EqQBCgIYAhIM" } }),
  ["contentBlockStop", { contentBlockIndex: 0 }],
  delta(1, { text: "Hello" }),
  ["contentBlockStop", { contentBlockIndex: 1 }],
  ["messageStop", { stopReason: "end_turn" }],
  [
    "metadata",
    { usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 }, metrics: { latencyMs: 9 } },
  ],
];

function delta(contentBlockIndex: number, given: object): [string, object] {
  return ["contentBlockDelta", { contentBlockIndex, delta: given }];
}

function sendFrames(response: ServerResponse, frames: readonly Buffer[]): void {
  response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
  response.end(Buffer.concat(frames));
}

test("a documented call becomes a call", async () => {
  const { post } = await startProvider(bedrockUnderTest, (response) =>
    respondWithJson(response, 200, calling),
  );
  expect(await post({ ...base, tools })).toMatchObject({
    choices: [
      {
        finish_reason: "tool_calls",
        message: {
          content: null,
          tool_calls: [
            {
              id: "tooluse_kZJMlvQmRJ6eAyJE5GIl7Q",
              function: { name: "top_song", arguments: '{"sign":"WZPZ"}' },
            },
          ],
        },
      },
    ],
    usage: calling.usage,
  });
});

test("a documented stream becomes chunks, with signed thinking and Bedrock's own usage", async () => {
  const { urls, stream } = await startProvider(bedrockUnderTest, (response) =>
    sendFrames(
      response,
      thinkingEvents.map(([type, payload]) => encodeEvent(type, payload)),
    ),
  );
  const chunks = await stream({ ...base, stream: true });
  expect(urls[0]).toMatch(/\/model\/us\.anthropic\.claude-[a-z0-9-]+%3A0\/converse-stream$/);
  expect(chunks).toMatchObject([
    { choices: [{ delta: { role: "assistant", reasoning_content: "Let me think" } }] },
    { choices: [{ delta: { reasoning_details: [{ signature: "EqQBCgIYAhIM" }] } }] },
    { choices: [{ delta: { content: "Hello" } }] },
    { choices: [], usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 } },
    { choices: [{ delta: {}, finish_reason: "stop" }] },
    { choices: [], usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 } },
  ]);
});

test("thinking that is encrypted is returned, and sent back", async () => {
  const redactedContent = "cmVkYWN0ZWQ=";
  const content = [{ reasoningContent: { redactedContent } }, { text: "Hello" }];
  const whole = { ...calling, output: { message: { role: "assistant", content } } };
  const { bodies, post } = await startProvider(bedrockUnderTest, (response) =>
    respondWithJson(response, 200, whole),
  );
  const completion = (await post(base)) as { choices: [{ message: JsonObject }] };
  const [{ message }] = completion.choices;
  expect(message).toMatchObject({
    reasoning_details: [{ type: "reasoning.encrypted", data: redactedContent }],
  });
  await post({ ...base, messages: [user, message, user] });
  expect(bodies[1]).toMatchObject({ messages: [{}, { content }, {}] });
});

test.each<[string, JsonObject, typeof bedrockUnderTest]>([
  ["reasoning_effort", { reasoning_effort: "none" }, gptOss],
  ["reasoning_effort", { reasoning_effort: "xhigh" }, gptOss],
  ["reasoning_effort", { reasoning_effort: "high" }, nova],
  ["stop", { stop: ["a"] }, gptOss],
  ["temperature", { temperature: 0.5 }, opus],
  [
    "tools[1].function.strict",
    { tools: [tools[0], { ...tools[0], function: { ...tools[0]?.function, strict: true } }] },
    opus,
  ],
  ["tools[0].type", { tools: [{ type: "web_search" }] }, bedrockUnderTest],
  ["response_format.type", { response_format: { type: "grammar" } }, bedrockUnderTest],
  ["messages[0].name", { messages: [{ ...user, name: "b" }] }, bedrockUnderTest],
])("what the package would leave out is refused as %s: %j", async (param, more, kind) => {
  const { check } = await startProvider(kind);
  const error = await rejectionReason(check({ ...base, ...more }));
  expect(error).toMatchObject({ code: "invalid_param", param });
});

test.each([
  [bedrockUnderTest, { thinking: { type: "enabled", budget_tokens: 2_000 } }],
  [opus, { thinking: { type: "adaptive" }, output_config: { effort: "medium" } }],
  [gptOss, { reasoning_effort: "medium" }],
  [nova, { reasoningConfig: { type: "enabled", maxReasoningEffort: "medium" } }],
])("an effort is sent in the model's own way: $modelId", async (kind, fields) => {
  const { bodies, check, post } = await startProvider(kind);
  const request = { ...base, reasoning_effort: "medium" };
  await check(request);
  await post(request);
  expect(bodies[0]).toMatchObject({
    inferenceConfig: { maxTokens: 4_000 },
    additionalModelRequestFields: fields,
  });
});

test("the description of a schema is sent", async () => {
  const { bodies, post } = await startProvider(bedrockUnderTest);
  const json_schema = { name: "a", description: "An answer.", schema: { type: "object" } };
  await post({ ...base, response_format: { type: "json_schema", json_schema } });
  const json = { type: "object", description: "An answer." };
  expect(bodies[0]).toMatchObject({
    toolConfig: { tools: [{ toolSpec: { inputSchema: { json } } }] },
  });
});

test.each([
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["guardrail_intervened", "content_filter"],
  ["content_filtered", "content_filter"],
  ["refusal", "content_filter"],
])("the reason %s is %s", async (stopReason, finish_reason) => {
  const whole = await startProvider(bedrockUnderTest, (response) =>
    respondWithJson(response, 200, { ...bedrockUnderTest.response, stopReason }),
  );
  expect(await whole.post(base)).toMatchObject({ choices: [{ finish_reason }] });
  const events = thinkingEvents.map(([type, payload]) =>
    encodeEvent(type, type === "messageStop" ? { stopReason } : payload),
  );
  const streaming = await startProvider(bedrockUnderTest, (response) =>
    sendFrames(response, events),
  );
  const chunks = await streaming.stream({ ...base, stream: true });
  expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason }] });
});

test.each([
  "malformed_model_output",
  "malformed_tool_use",
])("a response that ends as %s is the answer, which is billed", async (stopReason) => {
  const { post } = await startProvider(bedrockUnderTest, (response) =>
    respondWithJson(response, 200, { ...bedrockUnderTest.response, stopReason }),
  );
  const completion = await post(base);
  expect(completion).toMatchObject({ choices: [{ finish_reason: "stop" }] });
  expect(completion).toHaveProperty("usage.inputTokens");
});

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html */
test.each([
  [400, "validationException", "bad_request"],
  [424, "modelStreamErrorException", "trouble"],
  [429, "throttlingException", "rate"],
  [500, "internalServerException", "trouble"],
  [503, "serviceUnavailableException", "trouble"],
])("a %i %s is %s, in a stream, too", async (status, name, meaning) => {
  const message = "No";
  const refusing = await startProvider(bedrockUnderTest, (response) =>
    respondWithJson(response, status, { message }),
  );
  const streaming = await startProvider(bedrockUnderTest, (response) =>
    sendFrames(response, [encodeException(name, message)]),
  );
  for (const failing of [refusing.post(base), streaming.stream({ ...base, stream: true })]) {
    const failure = await rejectionReason(failing);
    expect(failure).toBeInstanceOf(SlotFailure);
    expect(failure).toMatchObject({ kind: "rejected", status, meaning });
  }
});

test("the ids of calls are as Bedrock takes them, the same in a call and its result", async () => {
  const { bodies, post } = await startProvider(bedrockUnderTest);
  const ids = ["tooluse_1", "functions.f:0"];
  const called = { name: "f", arguments: "{}" };
  const tool_calls = ids.map((id) => ({ id, type: "function", function: called }));
  const results = ids.map((tool_call_id) => ({ role: "tool", tool_call_id, content: "ok" }));
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: null, tool_calls },
    ...results,
  ];
  await post({ messages, max_completion_tokens: 100 });
  const sent = JSON.stringify(bodies[0]);
  const found = [...sent.matchAll(/"toolUseId":"([^"]*)"/g)].map(([, id]) => id);
  const hashed = expect.stringMatching(/^tooluse_[0-9a-f]{24}$/);
  expect(found).toEqual(["tooluse_1", hashed, "tooluse_1", found[1]]);
});

test("a conversation that begins with the assistant is sent a turn of the user before it", async () => {
  const { bodies, check, post } = await startProvider(bedrockUnderTest);
  const request = {
    ...base,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "assistant", content: "Hello" },
      user,
    ],
  };
  await check(request);
  await post(request);
  expect(bodies[0]).toMatchObject({
    system: [{ text: "Be brief." }],
    messages: [
      { role: "user", content: [{ text: "(empty)" }] },
      { role: "assistant", content: [{ text: "Hello" }] },
      { role: "user" },
    ],
  });
});
