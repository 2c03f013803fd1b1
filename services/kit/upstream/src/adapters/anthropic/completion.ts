import type { LanguageModelV4GenerateResult } from "@ai-sdk/provider";
import type { JsonObject } from "@tollgate/core/json";
import { finishReasonOf } from "./finish-reason.ts";
import { type ReasoningDetail, reasoningDetail } from "./reasoning.ts";
import { refusalOf } from "./refusal.ts";

/** Returns a generated message as a chat completion. Its usage is Anthropic's own block. */
export function completionOf(result: LanguageModelV4GenerateResult): JsonObject {
  const { finishReason, usage, response, providerMetadata } = result;
  const message = { ...messageOf(result), refusal: refusalOf(providerMetadata) };
  const choice = { index: 0, message, logprobs: null, finish_reason: finishReasonOf(finishReason) };
  return {
    id: response?.id,
    object: "chat.completion",
    model: response?.modelId,
    choices: [choice],
    usage: usage.raw,
  };
}

function messageOf({ content }: LanguageModelV4GenerateResult): JsonObject {
  let text: string | null = null;
  let reasoning = "";
  const details: ReasoningDetail[] = [];
  const calls: JsonObject[] = [];
  for (const part of content) {
    if (part.type === "text") text = (text ?? "") + part.text;
    if (part.type === "reasoning") {
      reasoning += part.text;
      const metadata = part.providerMetadata?.anthropic;
      const detail = reasoningDetail(part.text, metadata, details.length);
      if (detail !== undefined) details.push(detail);
    }
    if (part.type !== "tool-call" || part.providerExecuted) continue;
    const called = { name: part.toolName, arguments: part.input };
    calls.push({ id: part.toolCallId, type: "function", function: called });
  }
  return {
    role: "assistant",
    content: text,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}
