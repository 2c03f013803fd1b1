import { anthropicChat } from "../src/anthropic/chat.ts";
import { bedrockChat } from "../src/bedrock/chat.ts";
import { cohereChat } from "../src/cohere/chat.ts";
import { googleChat } from "../src/google/chat.ts";
import { vendors } from "../src/index.ts";
import { mistralChat } from "../src/mistral/chat.ts";
import { vertexChat } from "../src/vertex/chat.ts";
import type { KindUnderTest } from "./provider-of-kind.ts";

export const claude: KindUnderTest = {
  vendor: vendors.anthropic,
  adapter: anthropicChat,
  modelId: "claude-sonnet-4-5",
  // A lower output limit is no loss: the model's own limit applies.
  isHarmless: (warning) => "feature" in warning && warning.feature === "maxOutputTokens",
  response: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [{ type: "text", text: "Hi!" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 5, output_tokens: 2 },
  },
};

export const gemini: KindUnderTest = {
  vendor: vendors.google,
  adapter: googleChat,
  modelId: "gemini-2.5-flash",
  // A call of another provider's model, or of a stored turn, has no signature: Gemini has a value that
  // says so. https://ai.google.dev/gemini-api/docs/thought-signatures
  isHarmless: (warning) =>
    warning.type === "other" && warning.message.includes("skip_thought_signature_validator"),
  response: {
    candidates: [
      { content: { parts: [{ text: "Hi!" }], role: "model" }, finishReason: "STOP", index: 0 },
    ],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 },
    modelVersion: "gemini-2.5-flash",
    responseId: "r1",
  },
};

export const vertexGemini: KindUnderTest = {
  ...gemini,
  vendor: vendors.vertex,
  adapter: vertexChat,
  refuses: ["parallel_tool_calls"],
};

export const vertexClaude: KindUnderTest = {
  ...claude,
  vendor: vendors.vertex,
  adapter: vertexChat,
  modelId: "claude-sonnet-4-5@20250929",
  refuses: ["seed"],
};

export const mistralUnderTest: KindUnderTest = {
  vendor: vendors.mistral,
  adapter: mistralChat,
  modelId: "mistral-large-4",
  response: {
    id: "cmpl-1",
    object: "chat.completion",
    created: 1_702_256_327,
    model: "mistral-large-4",
    choices: [{ index: 0, message: { role: "assistant", content: "Hi!" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
  },
};

export const bedrockUnderTest: KindUnderTest = {
  vendor: vendors.bedrock,
  adapter: bedrockChat,
  modelId: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  response: {
    output: { message: { role: "assistant", content: [{ text: "Hi!" }] } },
    stopReason: "end_turn",
    usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 },
    metrics: { latencyMs: 551 },
  },
};

export const cohereUnderTest: KindUnderTest = {
  vendor: vendors.cohere,
  adapter: cohereChat,
  modelId: "command-a-reasoning-08-2025",
  response: {
    id: "chat-1",
    message: { role: "assistant", content: [{ type: "text", text: "Hi!" }] },
    finish_reason: "COMPLETE",
    usage: {
      billed_units: { input_tokens: 5, output_tokens: 2 },
      tokens: { input_tokens: 65, output_tokens: 4 },
    },
  },
};
