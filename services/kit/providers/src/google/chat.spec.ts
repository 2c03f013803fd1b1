import type { JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import { expect, test } from "vitest";
import { gemini } from "../../test/kinds.ts";
import {
  rejectionReason,
  respondWithJson,
  sendEvents,
  startProvider,
} from "../../test/provider-of-kind.ts";

const gemini3 = { ...gemini, modelId: "gemini-3-pro-preview" };
const pro = { ...gemini, modelId: "gemini-2.5-pro" };
const gemini2 = { ...gemini, modelId: "gemini-2.0-flash" };
const user = { role: "user", content: "Hi" };
const base = { messages: [user], max_completion_tokens: 4_000 };
const tool = { type: "function", function: { name: "check_weather", parameters: {} } };

/**
 * The parallel calls and the text of Gemini's documentation, with their signatures:
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const parallelCalls = [
  {
    functionCall: { name: "check_weather", args: { city: "Paris" } },
    thoughtSignature: "<SIGNATURE_A>",
  },
  { functionCall: { name: "check_weather", args: { city: "London" } } },
];
const signedText = {
  text: "I need to calculate the risk. Let me think step-by-step...",
  thoughtSignature: "<SIGNATURE_C>",
};
/** The parts of a response with thoughts: https://ai.google.dev/gemini-api/docs/thinking */
const thought = { text: "**Considering the question**", thought: true };

const usageMetadata = {
  promptTokenCount: 8,
  candidatesTokenCount: 4,
  totalTokenCount: 32,
  promptTokensDetails: [{ modality: "TEXT", tokenCount: 8 }],
  thoughtsTokenCount: 20,
};

function responseOf(parts: readonly object[], candidate: object = { finishReason: "STOP" }) {
  const content = parts.length === 0 ? {} : { content: { parts, role: "model" } };
  const candidates = [{ ...content, ...candidate, index: 0 }];
  return { candidates, usageMetadata, modelVersion: "gemini-2.5-flash", responseId: "r1" };
}

/** Returns the events of a stream with these parts, each in an event of its own. */
function eventsOf(parts: readonly object[]): string {
  return parts
    .map((part, index) => responseOf([part], index < parts.length - 1 ? {} : undefined))
    .map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`)
    .join("");
}

interface Message {
  content: string | null;
  reasoning_content?: string;
  reasoning_details?: object[];
  tool_calls?: { id: string; function: { arguments: string } }[];
}

/** Posts to a provider that responds with the parts, whole and streamed, and returns the messages. */
async function messagesWith(parts: readonly object[]): Promise<[Message, Message]> {
  const whole = await startProvider(gemini3, (res) => respondWithJson(res, 200, responseOf(parts)));
  const completion = (await whole.post(base)) as { choices: [{ message: Message }] };
  const streaming = await startProvider(gemini3, (res) => sendEvents(res, eventsOf(parts)));
  const chunks = await streaming.stream({ ...base, stream: true });
  return [completion.choices[0].message, joined(chunks)];
}

/** Joins the deltas of a stream, as a client does. */
function joined(chunks: readonly JsonObject[]): Message {
  const message = { content: "", reasoning_content: "", reasoning_details: [], tool_calls: [] };
  const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = [];
  const details: object[] = [];
  for (const { choices } of chunks as { choices: { delta: JsonObject }[] }[]) {
    const { content, reasoning_content, reasoning_details, tool_calls } = choices[0]?.delta ?? {};
    message.content += String(content ?? "");
    message.reasoning_content += String(reasoning_content ?? "");
    details.push(...((reasoning_details ?? []) as object[]));
    for (const { index, ...call } of (tool_calls ?? []) as ((typeof calls)[0] & {
      index: number;
    })[]) {
      const known = calls[index];
      if (known === undefined) calls[index] = call;
      else known.function.arguments += call.function.arguments;
    }
  }
  return { ...message, reasoning_details: details, tool_calls: calls };
}

test.each<[string, JsonObject, typeof gemini?]>([
  ["tools[0].type", { tools: [{ type: "web_search" }] }],
  ["response_format.type", { response_format: { type: "grammar" } }],
  ["response_format.type", { response_format: { type: "json_object" }, tools: [tool] }],
  [
    "response_format.type",
    { response_format: { type: "json_object" }, tools: [tool], tool_choice: "required" },
    gemini3,
  ],
  ["reasoning_effort", { reasoning_effort: "none" }, pro],
  ["reasoning_effort", { reasoning_effort: "none" }, gemini3],
  ["reasoning_effort", { reasoning_effort: "max" }, gemini3],
  ["parallel_tool_calls", { tools: [tool], parallel_tool_calls: false }],
  ["metadata", { metadata: { user_id: "u" } }],
  ["messages[0].name", { messages: [{ ...user, name: "b" }] }],
  ["messages[1].role", { messages: [user, { role: "developer", content: "Be brief." }] }],
])("what Gemini cannot be sent is refused as %s: %j", async (param, more, kind = gemini) => {
  const { check } = await startProvider(kind);
  const error = await rejectionReason(check({ ...base, ...more }));
  expect(error).toMatchObject({ code: "invalid_param", param });
});

test.each([
  ["https://a.test/b.png?x=1", gemini, "image/png"],
  ["https://a.test/b.JPG", gemini3, "image/jpeg"],
  ["https://a.test/b", gemini, undefined],
  ["https://a.test/b.gif", gemini, undefined],
  ["https://a.test/b.png", gemini2, undefined],
  ["http://a.test/b.png", gemini, undefined],
  ["data:image/gif;base64,AAAA", gemini, undefined],
])("an image at %s is sent to %o with its media type, or refused", async (url, kind, mimeType) => {
  const { bodies, check, post } = await startProvider(kind);
  const content = [{ type: "image_url", image_url: { url } }];
  const request = { ...base, messages: [{ role: "user", content }] };
  if (mimeType === undefined) {
    const param = "messages[0].content[0].image_url.url";
    expect(await rejectionReason(check(request))).toMatchObject({ code: "invalid_param", param });
    return;
  }
  await check(request);
  await post(request);
  expect(bodies[0]).toMatchObject({
    contents: [{ parts: [{ fileData: { mimeType, fileUri: url } }] }],
  });
});

test.each([
  [gemini, undefined, 4_000, undefined],
  [gemini, "none", 4_000, { thinkingBudget: 0 }],
  [gemini, "low", 10_000, { thinkingBudget: 2_000, includeThoughts: true }],
  [gemini, "low", 1_000, { thinkingBudget: 512, includeThoughts: true }],
  [gemini, "low", 512, { thinkingBudget: 0 }],
  [gemini, "max", 60_000, { thinkingBudget: 24_576, includeThoughts: true }],
  [pro, "max", 60_000, { thinkingBudget: 32_768, includeThoughts: true }],
  [pro, "low", 100, { thinkingBudget: 128, includeThoughts: true }],
  [gemini3, "low", 100, { thinkingLevel: "low", includeThoughts: true }],
])("the effort of %o, %s, at %i tokens is the thinking %j", async (kind, effort, limit, config) => {
  const { bodies, post } = await startProvider(kind);
  await post({ ...base, max_completion_tokens: limit, reasoning_effort: effort });
  expect(bodies[0]?.generationConfig).toEqual({
    maxOutputTokens: limit,
    ...(config === undefined ? {} : { thinkingConfig: config }),
  });
});

test("a whole response and a stream are requested at their own paths", async () => {
  const { urls, post, stream } = await startProvider(gemini, (response) =>
    sendEvents(response, eventsOf([{ text: "Hi" }])),
  );
  await stream({ ...base, stream: true });
  await rejectionReason(post(base));
  expect(urls).toEqual([
    "/v1/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    "/v1/models/gemini-2.5-flash:generateContent",
  ]);
});

test("the description of a schema is sent in the schema", async () => {
  const { bodies, post } = await startProvider(gemini);
  const schema = { type: "object", properties: { city: { const: "Paris" } } };
  const json_schema = { name: "answer", description: "A city", schema };
  await post({ ...base, response_format: { type: "json_schema", json_schema } });
  expect(bodies[0]?.generationConfig).toMatchObject({
    responseMimeType: "application/json",
    responseJsonSchema: {
      description: "A city",
      type: "object",
      properties: { city: { enum: ["Paris"] } },
    },
  });
});

test("documented parallel calls go out, and come back with their signature and results", async () => {
  for (const message of await messagesWith(parallelCalls)) {
    const [paris, london] = message.tool_calls ?? [];
    expect(message.tool_calls).toMatchObject([
      { function: { name: "check_weather", arguments: '{"city":"Paris"}' } },
      { function: { name: "check_weather", arguments: '{"city":"London"}' } },
    ]);
    const format = "google-gemini-v1";
    const detail = { type: "reasoning.encrypted", id: paris?.id, data: "<SIGNATURE_A>", format };
    expect(message.reasoning_details).toEqual([{ ...detail, index: 0 }]);
    const { bodies, check, post } = await startProvider(gemini3);
    const results = [paris, london].map((call, index) => ({
      role: "tool",
      tool_call_id: call?.id,
      content: `${index} degrees`,
    }));
    const looped = [user, { role: "assistant", ...message }, ...results];
    await check({ ...base, messages: looped });
    await post({ ...base, messages: looped });
    const response = (content: string) => ({ name: "check_weather", response: { content } });
    expect(bodies[0]?.contents).toMatchObject([
      { role: "user" },
      { role: "model", parts: parallelCalls },
      {
        role: "user",
        parts: [
          { functionResponse: response("0 degrees") },
          { functionResponse: response("1 degrees") },
        ],
      },
    ]);
  }
});

test.each([
  ["in the same part", [thought, signedText]],
  ["in a part of its own", [thought, { text: signedText.text }, { ...signedText, text: "" }]],
])("a text comes back with its signature %s", async (_, parts) => {
  for (const message of await messagesWith(parts)) {
    expect(message).toMatchObject({
      content: signedText.text,
      reasoning_content: thought.text,
      reasoning_details: [{ type: "reasoning.encrypted", data: "<SIGNATURE_C>", index: 0 }],
    });
    const { bodies, post } = await startProvider(gemini3);
    await post({ ...base, messages: [user, { role: "assistant", ...message }, user] });
    expect(bodies[0]?.contents).toMatchObject([{}, { parts: [signedText] }, {}]);
  }
});

test("a call without a signature has the value that Gemini documents for one", async () => {
  const { bodies, check, post } = await startProvider(gemini3);
  const called = { name: "check_weather", arguments: "{}" };
  const messages = [
    user,
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "function", function: called }],
      reasoning_details: [
        { type: "reasoning.text", signature: "s", format: "anthropic-claude-v1" },
      ],
    },
    { role: "tool", tool_call_id: "a", content: "15 degrees" },
  ];
  await check({ ...base, messages });
  await post({ ...base, messages });
  const part = {
    functionCall: { id: "a", name: "check_weather", args: {} },
    thoughtSignature: "skip_thought_signature_validator",
  };
  expect(bodies[0]?.contents).toMatchObject([{}, { parts: [part] }, {}]);
});

test("the usage of a stream is Gemini's own block, before and in its last chunk", async () => {
  const { stream } = await startProvider(gemini, (response) =>
    sendEvents(response, eventsOf([thought, { text: "Hello" }, { text: "!" }])),
  );
  const chunks = await stream({ ...base, stream: true });
  const choice = { index: 0, logprobs: null, finish_reason: null };
  const head = { id: "r1", model: "gemini-2.5-flash" };
  const usage = usageMetadata;
  expect(chunks).toMatchObject([
    { choices: [], usage },
    {
      ...head,
      choices: [{ ...choice, delta: { role: "assistant", reasoning_content: thought.text } }],
      usage,
    },
    { ...head, choices: [{ ...choice, delta: { content: "Hello" } }], usage },
    { ...head, choices: [{ ...choice, delta: { content: "!" } }], usage },
    { ...head, choices: [{ ...choice, delta: {}, finish_reason: "stop" }] },
    { ...head, choices: [], usage: usageMetadata },
  ]);
});

test.each([
  ["SAFETY", "Blocked for safety."],
  ["PROHIBITED_CONTENT", undefined],
  ["RECITATION", undefined],
])("the reason %s is a refusal by the content filter", async (finishReason, finishMessage) => {
  const body = responseOf([], { finishReason, ...(finishMessage && { finishMessage }) });
  const { post } = await startProvider(gemini, (response) => respondWithJson(response, 200, body));
  const { choices } = (await post(base)) as { choices: object[] };
  expect(choices).toMatchObject([
    {
      finish_reason: "content_filter",
      message: { content: null, refusal: finishMessage ?? null },
    },
  ]);
});

test("a blocked prompt is a refusal by the content filter", async () => {
  const body = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata };
  const whole = await startProvider(gemini, (response) => respondWithJson(response, 200, body));
  expect(JSON.stringify(await whole.post(base))).toContain('"finish_reason":"content_filter"');
  const streaming = await startProvider(gemini, (response) =>
    sendEvents(response, `data: ${JSON.stringify(body)}\n\n`),
  );
  const [, last, usage] = await streaming.stream({ ...base, stream: true });
  expect(last).toMatchObject({ choices: [{ finish_reason: "content_filter" }] });
  expect(usage).toMatchObject({ usage: { promptTokenCount: 8 } });
});

test("a message that Gemini adds to another reason is no refusal", async () => {
  const body = responseOf([{ text: "Hi" }], { finishReason: "MAX_TOKENS", finishMessage: "Full." });
  const { post } = await startProvider(gemini, (response) => respondWithJson(response, 200, body));
  expect(await post(base)).toMatchObject({
    choices: [{ finish_reason: "length", message: { content: "Hi", refusal: null } }],
  });
});

test("a malformed call of the model is its answer, which is billed", async () => {
  const body = responseOf([], { finishReason: "MALFORMED_FUNCTION_CALL" });
  const whole = await startProvider(gemini, (response) => respondWithJson(response, 200, body));
  const streaming = await startProvider(gemini, (response) =>
    sendEvents(response, `data: ${JSON.stringify(body)}\n\n`),
  );
  const { usageMetadata: usage } = body;
  const ended = { finish_reason: "stop" };
  expect(await whole.post(base)).toMatchObject({ choices: [ended], usage });
  const chunks = await streaming.stream({ ...base, stream: true });
  expect(chunks.slice(-2)).toMatchObject([{ choices: [ended] }, { usage }]);
});

/** https://ai.google.dev/gemini-api/docs/troubleshooting */
test.each([
  [400, "INVALID_ARGUMENT", "bad_request"],
  [400, "FAILED_PRECONDITION", "bad_request"],
  [403, "PERMISSION_DENIED", "bad_request"],
  [404, "NOT_FOUND", "bad_request"],
  [429, "RESOURCE_EXHAUSTED", "rate"],
  [500, "INTERNAL", "trouble"],
  [503, "UNAVAILABLE", "trouble"],
  [504, "DEADLINE_EXCEEDED", "trouble"],
])("a %i %s is %s, in a stream, too", async (status, name, meaning) => {
  const body = { error: { code: status, message: "No", status: name } };
  const refusing = await startProvider(gemini, (response) =>
    respondWithJson(response, status, body),
  );
  const streaming = await startProvider(gemini, (response) =>
    sendEvents(response, `data: ${JSON.stringify(body)}\n\n`),
  );
  for (const failing of [refusing.post(base), streaming.stream({ ...base, stream: true })]) {
    const failure = await rejectionReason(failing);
    expect(failure).toBeInstanceOf(SlotFailure);
    expect(failure).toMatchObject({ kind: "rejected", status, meaning });
  }
});

test("a signature in a part of its own is that of the text before it", async () => {
  const messages = await messagesWith([{ text: "Hi!" }, { thoughtSignature: "c2ln" }]);
  for (const { content, reasoning_details } of messages) {
    expect(content).toBe("Hi!");
    expect(JSON.stringify(reasoning_details)).toContain("c2ln");
  }
});
