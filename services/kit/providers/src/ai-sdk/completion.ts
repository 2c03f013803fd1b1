import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4ToolCall,
} from "@ai-sdk/provider";
import type { JsonObject } from "@tollgate/core/json";
import { finishReasonOf, isUnfinished, refusalTextOf } from "./finish-reason.ts";
import type { LanguageModelKind } from "./kind.ts";
import {
  metadataOf,
  type ReasoningDetail,
  reasoningDetail,
  type SignatureForm,
} from "./reasoning.ts";

/**
 * Returns a generated message as a chat completion, without choices where nothing was generated and there
 * is no reason for that. Its usage is the provider's own block. Throws a SlotFailure where the model
 * failed.
 */
export function completionOf(
  kind: LanguageModelKind,
  modelId: string,
  result: LanguageModelV4GenerateResult,
): JsonObject {
  const { finishReason, usage, response, providerMetadata } = result;
  const refusal = refusalTextOf(kind, finishReason, providerMetadata);
  const message: JsonObject = { ...messageOf(kind.signatures, result), refusal };
  const choice = {
    index: 0,
    message,
    logprobs: null,
    finish_reason: finishReasonOf(kind, finishReason, message.tool_calls !== undefined),
  };
  const isEmpty = isUnfinished(finishReason) && result.content.length === 0;
  return {
    id: response?.id,
    object: "chat.completion",
    model: response?.modelId ?? modelId,
    choices: isEmpty ? [] : [choice],
    usage: usage.raw,
  };
}

function messageOf(form: SignatureForm, { content }: LanguageModelV4GenerateResult): JsonObject {
  const texts = content.filter((part) => part.type === "text");
  const reasoning = textOf(content.filter((part) => part.type === "reasoning"));
  const calls = content
    .filter((part) => part.type === "tool-call")
    .filter(({ providerExecuted }) => !providerExecuted);
  const details = detailsOf(form, content);
  return {
    role: "assistant",
    content: texts.length === 0 ? null : textOf(texts),
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(callOf) }),
  };
}

function textOf(parts: readonly { text: string }[]): string {
  return parts.map(({ text }) => text).join("");
}

function callOf({ toolCallId: id, toolName: name, input }: LanguageModelV4ToolCall): JsonObject {
  return { id, type: "function", function: { name, arguments: input } };
}

function detailsOf(
  form: SignatureForm,
  content: readonly LanguageModelV4Content[],
): ReasoningDetail[] {
  const details: ReasoningDetail[] = [];
  for (const part of content) {
    if (part.type !== "text" && part.type !== "reasoning" && part.type !== "tool-call") continue;
    const generated = part.type === "tool-call" ? { type: part.type, id: part.toolCallId } : part;
    const metadata = metadataOf(form, part.providerMetadata);
    const detail = reasoningDetail(form, generated, metadata, details.length);
    if (detail !== undefined) details.push(detail);
  }
  return details;
}
