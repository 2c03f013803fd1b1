import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import { createUnknowns, type Unknowns } from "@tollgate/core/testing/unknowns";
import { expect, test } from "vitest";
import { encodeEvent } from "../test/event-frames.ts";
import {
  bedrockUnderTest,
  claude,
  cohereUnderTest,
  gemini,
  mistralUnderTest,
} from "../test/kinds.ts";
import { completeFrom, streamFrom } from "../test/provider-in-memory.ts";
import type { KindUnderTest } from "../test/provider-of-kind.ts";

/** The responses of a kind, in all that the gateway reads of them. */
interface Exchanges {
  kind: KindUnderTest;
  /** The members of responses that the model writes freely. */
  free: readonly string[];
  answer: JsonObject;
  events: readonly JsonObject[];
  /** How an unknown event is named, where its name is in its value. */
  eventOf?: (name: string, value: JsonObject) => JsonObject;
  encode(events: readonly JsonObject[], unknowns: Unknowns | undefined): Buffer;
}

const runs = 25;

/** Heartbeats and comments that a provider sends between events. */
const heartbeats = [": ping\n\n", "event: ping\ndata: {}\n\n", "data: ping\n\n", "retry: 5\n\n"];

function encodeLines(events: readonly JsonObject[], unknowns: Unknowns | undefined): Buffer {
  const lines = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  if (unknowns === undefined) return Buffer.from(lines.join(""));
  let at = 0;
  const among = unknowns.among(lines, () => heartbeats[at++ % heartbeats.length] as string);
  return Buffer.from(among.join(""));
}

/** An event of Bedrock is an object of its name and its payload. */
function encodeFrames(events: readonly JsonObject[]): Buffer {
  const named = events.flatMap((event) => Object.entries(event));
  return Buffer.concat(named.map(([name, payload]) => encodeEvent(name, payload as object)));
}

const args = { city: "Oslo", nested: { deep: [{ a: 1 }] } };
const argsText = JSON.stringify(args);

const cohereUsage = {
  billed_units: { input_tokens: 98, output_tokens: 12 },
  tokens: { input_tokens: 1_508, output_tokens: 40 },
  cached_tokens: 1_472,
};
const cohereCall = (text: string) => ({
  id: "call_1",
  type: "function",
  function: { name: "weather", arguments: text },
});
const cohereCitation = {
  start: 0,
  end: 5,
  text: "Sunny",
  sources: [{ type: "tool", id: "t:0", tool_output: { content: "Sunny" } }],
};
const ofMessage = (type: string, message: JsonObject) => ({ type, index: 0, delta: { message } });

const cohere: Exchanges = {
  kind: cohereUnderTest,
  free: ["arguments"],
  answer: {
    id: "c14c80c3",
    finish_reason: "TOOL_CALL",
    message: {
      role: "assistant",
      tool_plan: "I will look.",
      content: [
        { type: "thinking", thinking: "Let me see." },
        { type: "text", text: "Sunny." },
      ],
      tool_calls: [cohereCall(argsText)],
      citations: [cohereCitation],
    },
    usage: cohereUsage,
  },
  events: [
    { type: "message-start", id: "c14c80c3", delta: { message: { role: "assistant" } } },
    ofMessage("content-start", { content: { type: "thinking", thinking: "" } }),
    ofMessage("content-delta", { content: { thinking: "Let me see." } }),
    { type: "content-end", index: 0 },
    ofMessage("content-start", { content: { type: "text", text: "" } }),
    ofMessage("content-delta", { content: { text: "Sun" } }),
    ofMessage("content-delta", { content: { text: "ny." } }),
    ofMessage("citation-start", { citations: cohereCitation }),
    { type: "citation-end", index: 0 },
    { type: "content-end", index: 0 },
    ofMessage("tool-plan-delta", { tool_plan: "I will look." }),
    ofMessage("tool-call-start", { tool_calls: cohereCall("") }),
    ofMessage("tool-call-delta", { tool_calls: { function: { arguments: argsText } } }),
    { type: "tool-call-end", index: 0 },
    { type: "message-end", delta: { finish_reason: "TOOL_CALL", usage: cohereUsage } },
  ],
  eventOf: (type, value) => ({ type, ...value }),
  encode: encodeLines,
};

const mistralUsage = {
  prompt_tokens: 35,
  completion_tokens: 12,
  total_tokens: 47,
  prompt_tokens_details: { cached_tokens: 30 },
};
const mistralCall = {
  id: "D681PevKs",
  type: "function",
  function: { name: "weather", arguments: argsText },
  index: 0,
};
const mistralParts = [
  { type: "thinking", thinking: [{ type: "text", text: "Let me see." }], closed: true },
  { type: "text", text: "Sunny" },
  { type: "reference", reference_ids: [0, "a"] },
  { type: "text", text: "." },
];
const mistralChunk = (delta: JsonObject, more: JsonObject = {}) => ({
  id: "cmpl-1",
  object: "chat.completion.chunk",
  created: 1_702_256_327,
  model: "mistral-large-4",
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});

const mistral: Exchanges = {
  kind: mistralUnderTest,
  free: ["arguments"],
  answer: {
    id: "cmpl-1",
    object: "chat.completion",
    created: 1_702_256_327,
    model: "mistral-large-4",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: mistralParts, tool_calls: [mistralCall] },
        finish_reason: "tool_calls",
      },
    ],
    usage: mistralUsage,
  },
  events: [
    mistralChunk({ role: "assistant", content: "" }),
    mistralChunk({ content: mistralParts.slice(0, 1) }),
    mistralChunk({ content: mistralParts.slice(1) }),
    mistralChunk({ content: " Bring", tool_calls: null }),
    mistralChunk({ content: "", tool_calls: [mistralCall] }),
    { ...mistralChunk({ content: "" }, { finish_reason: "tool_calls" }), usage: mistralUsage },
  ],
  encode: encodeLines,
};

const geminiUsage = {
  promptTokenCount: 40,
  candidatesTokenCount: 12,
  thoughtsTokenCount: 5,
  totalTokenCount: 57,
  cachedContentTokenCount: 8,
  promptTokensDetails: [
    { modality: "TEXT", tokenCount: 30 },
    { modality: "AUDIO", tokenCount: 10 },
  ],
};
const geminiChunk = (parts: readonly JsonObject[], more: JsonObject = {}) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
  usageMetadata: geminiUsage,
  modelVersion: "gemini-2.5-flash",
  responseId: "r1",
});
const geminiParts = [
  { text: "Let me see.", thought: true },
  { text: "Sunny." },
  { functionCall: { id: "call_1", name: "weather", args }, thoughtSignature: "c2ln" },
];

const google: Exchanges = {
  kind: gemini,
  free: ["args"],
  answer: geminiChunk(geminiParts, {
    finishReason: "STOP",
    safetyRatings: [{ category: "HARM_CATEGORY_HARASSMENT", probability: "NEGLIGIBLE" }],
    groundingMetadata: { groundingChunks: [{ web: { uri: "https://a.test", title: "A" } }] },
  }),
  events: [
    ...geminiParts.map((part) => geminiChunk([part])),
    geminiChunk([{ text: "" }], { finishReason: "STOP" }),
  ],
  eventOf: (_, value) => value,
  encode: encodeLines,
};

const bedrockUsage = {
  inputTokens: 40,
  outputTokens: 12,
  totalTokens: 62,
  cacheReadInputTokens: 8,
  cacheWriteInputTokens: 2,
  cacheDetails: [{ ttl: "1h", inputTokens: 2 }],
};
const blockDelta = (contentBlockIndex: number, delta: JsonObject) => ({
  contentBlockDelta: { contentBlockIndex, delta },
});

const bedrock: Exchanges = {
  kind: bedrockUnderTest,
  free: ["input"],
  answer: {
    output: {
      message: {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "Let me see.", signature: "c2ln" } } },
          { text: "Sunny." },
          { citationsContent: { content: [{ text: " Bring" }], citations: [{ title: "A" }] } },
          { toolUse: { toolUseId: "call_1", name: "weather", input: args } },
        ],
      },
    },
    stopReason: "tool_use",
    usage: bedrockUsage,
    metrics: { latencyMs: 551 },
    performanceConfig: { latency: "standard" },
  },
  events: [
    { messageStart: { role: "assistant" } },
    blockDelta(0, { reasoningContent: { text: "Let me see." } }),
    blockDelta(0, { reasoningContent: { signature: "c2ln" } }),
    { contentBlockStop: { contentBlockIndex: 0 } },
    blockDelta(1, { text: "Sun" }),
    blockDelta(1, { text: "ny." }),
    { contentBlockStop: { contentBlockIndex: 1 } },
    {
      contentBlockStart: {
        contentBlockIndex: 2,
        start: { toolUse: { toolUseId: "call_1", name: "weather" } },
      },
    },
    blockDelta(2, { toolUse: { input: argsText } }),
    { contentBlockStop: { contentBlockIndex: 2 } },
    blockDelta(3, { newKind: { a: 1 } }),
    { messageStop: { stopReason: "tool_use" } },
    { metadata: { usage: bedrockUsage, metrics: { latencyMs: 551 } } },
  ],
  eventOf: (name, value) => ({ [name]: value }),
  encode: encodeFrames,
};

const claudeUsage = {
  input_tokens: 40,
  output_tokens: 12,
  cache_read_input_tokens: 8,
  cache_creation_input_tokens: 2,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 2 },
  output_tokens_details: { thinking_tokens: 5 },
};
const blockAt = (at: number, content_block: JsonObject, ...deltas: readonly JsonObject[]) => [
  { type: "content_block_start", index: at, content_block },
  ...deltas.map((one) => ({ type: "content_block_delta", index: at, delta: one })),
  { type: "content_block_stop", index: at },
];
const claudeHead = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5",
  stop_sequence: null,
};

const anthropic: Exchanges = {
  kind: claude,
  free: ["input"],
  answer: {
    ...claudeHead,
    content: [
      { type: "thinking", thinking: "Let me see.", signature: "c2ln" },
      { type: "text", text: "Sunny.", citations: null },
      { type: "tool_use", id: "toolu_1", name: "weather", input: args },
    ],
    stop_reason: "tool_use",
    usage: claudeUsage,
  },
  events: [
    {
      type: "message_start",
      message: { ...claudeHead, content: [], stop_reason: null, usage: claudeUsage },
    },
    ...blockAt(
      0,
      { type: "thinking", thinking: "", signature: "" },
      { type: "thinking_delta", thinking: "Let me see." },
      { type: "signature_delta", signature: "c2ln" },
    ),
    ...blockAt(
      1,
      { type: "text", text: "" },
      { type: "text_delta", text: "Sun" },
      { type: "text_delta", text: "ny." },
    ),
    ...blockAt(2, { type: "new_block" }, { type: "text_delta", text: "Rain." }),
    ...blockAt(
      3,
      { type: "tool_use", id: "toolu_1", name: "weather", input: {} },
      { type: "input_json_delta", partial_json: argsText },
    ),
    {
      type: "message_delta",
      delta: { stop_reason: "tool_use", stop_sequence: null },
      usage: { input_tokens: null, output_tokens: 12, server_tool_use: null },
    },
    { type: "message_delta", delta: { stop_reason: null }, usage: { output_tokens: 12 } },
  ],
  eventOf: (type, value) => ({ type, ...value }),
  encode: encodeLines,
};

const all = { anthropic, bedrock, cohere, google, mistral };

/** Returns what a completion says, with what it is billed by. */
function said({ kind }: Exchanges, completion: JsonObject): JsonObject {
  const { object: _, ...rest } = completion;
  return { ...rest, usage: billed(kind, completion.usage) };
}

function billed({ vendor }: KindUnderTest, block: unknown): unknown {
  const usage = vendor.chat?.readUsageBlock(block);
  return { tokens: usage?.tokens, reasoning: usage?.reasoningTokens, tools: usage?.toolCalls };
}

/** Returns what a stream says: the deltas joined, the reason to finish, and what it is billed by. */
function joined({ kind }: Exchanges, chunks: readonly JsonObject[]): JsonObject {
  const choices = chunks.flatMap((chunk) => objectsIn(chunk.choices));
  const deltas = choices.map(({ delta }) => (isJsonObject(delta) ? delta : {}));
  const join = (name: string) => deltas.map((delta) => delta[name] ?? "").join("");
  return {
    content: join("content"),
    reasoning: join("reasoning_content"),
    details: deltas.flatMap((delta) => objectsIn(delta.reasoning_details)),
    calls: deltas.flatMap((delta) => objectsIn(delta.tool_calls)),
    finish: choices.map((choice) => choice.finish_reason).filter((reason) => reason !== null),
    usage: billed(kind, chunks.at(-1)?.usage),
  };
}

function streamOf(exchanges: Exchanges, unknowns: Unknowns | undefined): Buffer {
  const { events, eventOf } = exchanges;
  if (unknowns === undefined) return exchanges.encode(events, undefined);
  const added = events.map((event) => addToEvent(exchanges, event, unknowns));
  const among = eventOf === undefined ? added : unknowns.among(added, eventOf);
  return exchanges.encode(among, unknowns);
}

/** The object of a name and a payload is not Bedrock's own. */
function addToEvent({ kind }: Exchanges, event: JsonObject, unknowns: Unknowns): JsonObject {
  if (kind.vendor.name !== "bedrock") return unknowns.addTo(event);
  return Object.fromEntries(
    Object.entries(event).map(([name, payload]) => [name, unknowns.addTo(payload)]),
  );
}

function mediaTypeOf({ kind }: Exchanges): string {
  return kind.vendor.name === "bedrock"
    ? "application/vnd.amazon.eventstream"
    : "text/event-stream";
}

/** Divides a stream anywhere. */
function piecesOf(bytes: Buffer, seed: number): Buffer[] {
  const size = 40 + ((seed * 37) % 400);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}

test.each(
  Object.entries(all),
)("what %s may add changes no whole response", async (_, exchanges) => {
  const { kind, answer, free } = exchanges;
  const bytesOf = (value: object) => Buffer.from(JSON.stringify(value));
  const plain = said(exchanges, await completeFrom(kind, bytesOf(answer)));
  const message = {
    reasoning_content: "Let me see.",
    tool_calls: [{ function: { name: "weather" } }],
  };
  expect(plain).toMatchObject({ choices: [{ message, finish_reason: "tool_calls" }] });
  expect(plain).toMatchObject({
    choices: [{ message: { content: expect.stringMatching(/^Sunny\./) } }],
  });
  for (let seed = 0; seed < runs; seed += 1) {
    const added = createUnknowns(seed, { free }).addTo(answer);
    const completion = await completeFrom(kind, bytesOf(added)).catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${JSON.stringify(added)}`, { cause: error });
    });
    expect(said(exchanges, completion), `seed ${seed}`).toEqual(plain);
  }
});

test.each(Object.entries(all))("what %s may add changes no stream", async (_, exchanges) => {
  const { kind, free } = exchanges;
  const mediaType = mediaTypeOf(exchanges);
  const whole = await streamFrom(kind, mediaType, [streamOf(exchanges, undefined)]);
  const plain = joined(exchanges, whole);
  expect(plain).toMatchObject({ finish: ["tool_calls"], calls: [{ index: 0 }, {}] });
  expect(plain).toMatchObject({
    content: expect.stringMatching(/^Sunny\./),
    reasoning: "Let me see.",
  });
  for (let seed = 0; seed < runs; seed += 1) {
    const bytes = streamOf(exchanges, createUnknowns(seed, { free }));
    const chunks = await streamFrom(kind, mediaType, piecesOf(bytes, seed)).catch(
      (error: unknown) => {
        throw new Error(`seed ${seed}: ${bytes.toString("latin1")}`, { cause: error });
      },
    );
    expect(joined(exchanges, chunks), `seed ${seed}`).toEqual(plain);
  }
});

test.each<[string, KindUnderTest, JsonObject]>([
  ["bedrock", bedrockUnderTest, { stopReason: "guardrail_intervened" }],
  ["cohere", cohereUnderTest, { finish_reason: "COMPLETE", message: null, usage: {} }],
  ["google", gemini, { candidates: [{ finishReason: "SAFETY" }] }],
  ["mistral", mistralUnderTest, { choices: [{ finish_reason: "stop" }] }],
])("a reason to finish is all that a response of %s needs, and is not billed as nothing", async (_, kind, answer) => {
  const completion = await completeFrom(kind, Buffer.from(JSON.stringify(answer)));
  expect(completion).toMatchObject({
    choices: [{ finish_reason: expect.stringMatching(/^(stop|content_filter)$/) }],
  });
  expect(kind.vendor.chat?.readUsageBlock(completion.usage)).toBeUndefined();
});

test.each(
  Object.entries(all),
)("a whole answer of %s is a stream, and its error is an error", async (_, exchanges) => {
  const { kind, answer } = exchanges;
  const whole = Buffer.from(` ${JSON.stringify(answer)}`);
  const { choices } = await completeFrom(kind, whole);
  const { message } = (choices as { message: JsonObject }[])[0] ?? expect.unreachable();
  const chunks = await streamFrom(kind, "application/json", piecesOf(whole, 1));
  const streamed = await streamFrom(kind, mediaTypeOf(exchanges), [streamOf(exchanges, undefined)]);
  expect(joined(exchanges, chunks)).toMatchObject({
    content: message.content,
    reasoning: message.reasoning_content,
    details: message.reasoning_details ?? [],
    calls: message.tool_calls,
    finish: ["tool_calls"],
    usage: joined(exchanges, streamed).usage,
  });
  const error = { code: 429, type: "rate_limit_error", message: "Slow down" };
  const reported = Buffer.from(JSON.stringify({ error }));
  await expect(streamFrom(kind, "application/json", [reported])).rejects.toMatchObject({
    message: "the provider's response reports an error",
  });
});

test("the text of an unknown part is left out, and not that of others", async () => {
  const unknown = ofMessage("content-start", { content: { type: "audio", text: "" } });
  const ofCohere = [
    { ...unknown, index: 1 },
    { ...ofMessage("content-delta", { content: { text: "Rain." } }), index: 1 },
    { type: "content-end", index: 1 },
  ];
  const ofBedrock = [
    { contentBlockStart: { contentBlockIndex: 9, start: { audio: { id: "a" } } } },
    blockDelta(9, { text: "Rain." }),
    { contentBlockStop: { contentBlockIndex: 9 } },
  ];
  for (const [exchanges, added] of [
    [cohere, ofCohere],
    [bedrock, ofBedrock],
  ] as const) {
    const { kind, events } = exchanges;
    const bytes = exchanges.encode([events[0] ?? {}, ...added, ...events.slice(1)], undefined);
    const said = joined(exchanges, await streamFrom(kind, mediaTypeOf(exchanges), [bytes]));
    expect(said).toMatchObject({ content: "Sunny." });
  }
});

test("a call without an id has one, in a stream, too", async () => {
  const { id: _, ...ofCohere } = cohereCall("{}");
  const { id: __, ...ofMistral } = mistralCall;
  const message = { role: "assistant", tool_calls: [ofMistral] };
  const answers: [Exchanges, JsonObject, JsonObject[]][] = [
    [
      cohere,
      { finish_reason: "TOOL_CALL", message: { tool_calls: [ofCohere] } },
      [ofMessage("tool-call-start", { tool_calls: ofCohere }), cohere.events.at(-1) ?? {}],
    ],
    [
      mistral,
      { choices: [{ index: 0, message, finish_reason: "tool_calls" }] },
      [mistralChunk({ tool_calls: [ofMistral] }, { finish_reason: "tool_calls" })],
    ],
  ];
  for (const [exchanges, answer, events] of answers) {
    const call = { id: expect.stringMatching(/^call_/), function: { name: "weather" } };
    const whole = await completeFrom(exchanges.kind, Buffer.from(JSON.stringify(answer)));
    expect(whole).toMatchObject({ choices: [{ message: { tool_calls: [call] } }] });
    const bytes = encodeLines(events, undefined);
    const chunks = await streamFrom(exchanges.kind, "text/event-stream", [bytes]);
    expect(joined(exchanges, chunks).calls).toMatchObject([call, {}]);
  }
});

test("a call of Cohere that the limit has cut is an answer", async () => {
  const begun = ofMessage("tool-call-start", { tool_calls: cohereCall("") });
  const cut = ofMessage("tool-call-delta", {
    tool_calls: { function: { arguments: '{"path": "a' } },
  });
  const end = { type: "message-end", delta: { finish_reason: "MAX_TOKENS", usage: cohereUsage } };
  const bytes = encodeLines([begun, cut, { type: "tool-call-end", index: 0 }, end], undefined);
  const chunks = await streamFrom(cohereUnderTest, "text/event-stream", [bytes]);
  expect(joined(cohere, chunks)).toMatchObject({ finish: ["length"], calls: [{}, {}] });
});

test("a streamed call of Cohere without arguments has an empty object", async () => {
  const begun = ofMessage("tool-call-start", { tool_calls: cohereCall("") });
  const end = { type: "message-end", delta: { finish_reason: "TOOL_CALL", usage: cohereUsage } };
  const bytes = encodeLines([begun, { type: "tool-call-end", index: 0 }, end], undefined);
  const chunks = await streamFrom(cohereUnderTest, "text/event-stream", [bytes]);
  expect(joined(cohere, chunks)).toMatchObject({
    finish: ["tool_calls"],
    calls: [{ index: 0 }, { index: 0, function: { arguments: "{}" } }],
  });
});
