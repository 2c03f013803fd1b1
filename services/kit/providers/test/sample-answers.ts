import type { JsonObject } from "@tollgate/core/json";
import type { Unknowns } from "@tollgate/core/testing/unknowns";
import { encodeEvent } from "./event-frames.ts";
import { bedrockUnderTest, claude, cohereUnderTest, gemini, mistralUnderTest } from "./kinds.ts";
import type { KindUnderTest } from "./provider-of-kind.ts";

/** A whole response and the events of a stream of a kind, with all that the gateway reads of them. */
export interface SampleAnswers {
  kind: KindUnderTest;
  /** The members of responses that the model writes freely. */
  free: readonly string[];
  answer: JsonObject;
  events: readonly JsonObject[];
  /** How an unknown event is named, where its name is in its value. */
  eventOf?: (name: string, value: JsonObject) => JsonObject;
  encode(events: readonly JsonObject[], unknowns: Unknowns | undefined): Buffer;
}

/** Heartbeats and comments that a provider sends between events. */
const heartbeats = [": ping\n\n", "event: ping\ndata: {}\n\n", "data: ping\n\n", "retry: 5\n\n"];

/** Returns events as server-sent events, with heartbeats among them where unknowns are given. */
export function encodeLines(events: readonly JsonObject[], unknowns: Unknowns | undefined): Buffer {
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

/** A usage block of Cohere. */
export const cohereUsage = {
  billed_units: { input_tokens: 98, output_tokens: 12 },
  tokens: { input_tokens: 1_508, output_tokens: 40 },
  cached_tokens: 1_472,
};
/** Returns a call of Cohere with the text of its arguments. */
export const cohereCall = (text: string) => ({
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
/** Returns an event of Cohere whose delta has members of the message. */
export const cohereEvent = (type: string, message: JsonObject) => ({
  type,
  index: 0,
  delta: { message },
});

/** https://docs.cohere.com/reference/chat */
export const cohereSamples: SampleAnswers = {
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
    cohereEvent("content-start", { content: { type: "thinking", thinking: "" } }),
    cohereEvent("content-delta", { content: { thinking: "Let me see." } }),
    { type: "content-end", index: 0 },
    cohereEvent("content-start", { content: { type: "text", text: "" } }),
    cohereEvent("content-delta", { content: { text: "Sun" } }),
    cohereEvent("content-delta", { content: { text: "ny." } }),
    cohereEvent("citation-start", { citations: cohereCitation }),
    { type: "citation-end", index: 0 },
    { type: "content-end", index: 0 },
    cohereEvent("tool-plan-delta", { tool_plan: "I will look." }),
    cohereEvent("tool-call-start", { tool_calls: cohereCall("") }),
    cohereEvent("tool-call-delta", { tool_calls: { function: { arguments: argsText } } }),
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
/** A call of Mistral. */
export const mistralCall = {
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
/** Returns a chunk of Mistral, with more members of its choice. */
export const mistralChunk = (delta: JsonObject, more: JsonObject = {}) => ({
  id: "cmpl-1",
  object: "chat.completion.chunk",
  created: 1_702_256_327,
  model: "mistral-large-4",
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});

/** https://docs.mistral.ai/api/endpoint/chat */
export const mistralSamples: SampleAnswers = {
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

const googleSamples: SampleAnswers = {
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
/** Returns an event of Bedrock with a delta of a block. */
export const blockDelta = (contentBlockIndex: number, delta: JsonObject) => ({
  contentBlockDelta: { contentBlockIndex, delta },
});

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
export const bedrockSamples: SampleAnswers = {
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

const anthropicSamples: SampleAnswers = {
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

/** The samples of each kind that the gateway translates. */
export const samplesByKind = {
  anthropic: anthropicSamples,
  bedrock: bedrockSamples,
  cohere: cohereSamples,
  google: googleSamples,
  mistral: mistralSamples,
};
