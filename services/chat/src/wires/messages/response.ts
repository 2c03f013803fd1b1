import { isJsonObject, type JsonObject, jsonObjectOf, objectsIn } from "@tollgate/core/json";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import type { WithChoices } from "../chat/completion.ts";
import { toolCallText } from "../chat/content.ts";
import { generatedReasoning } from "../generated-message.ts";
import type { ResponseContext } from "../response-context.ts";
import { stopReasonOf } from "./stop-reason.ts";
import { type Block, thinkingBlocks } from "./thinking.ts";
import { messageUsage } from "./usage.ts";

/** Returns a chat completion as a message. */
export function messageFromChat(
  { choices: [choice = {}] }: WithChoices,
  usage: ChatUsage,
  context: ResponseContext,
): JsonObject {
  const message = isJsonObject(choice.message) ? choice.message : {};
  const isRefused = typeof message.refusal === "string" && message.refusal !== "";
  const content = blocksOf(message);
  const hasCalls = content.some(({ type }) => type === "tool_use");
  return {
    ...messageHead(context),
    content,
    stop_reason: isRefused ? "refusal" : stopReasonOf(choice.finish_reason, hasCalls),
    stop_sequence: null,
    usage: messageUsage(usage),
  };
}

/** Returns the members that a message has from its start. */
export function messageHead({ id, alias }: ResponseContext): JsonObject {
  return { id: `msg_${id}`, type: "message", role: "assistant", model: alias };
}

function blocksOf(message: JsonObject): Block[] {
  const { content, refusal, tool_calls: calls, reasoning_details: details } = message;
  const blocks = thinkingBlocks(generatedReasoning(message), objectsIn(details));
  for (const text of [content, refusal]) {
    if (typeof text === "string" && text !== "") blocks.push({ type: "text", text });
  }
  for (const part of objectsIn(content)) {
    if (typeof part.text === "string" && part.text !== "") {
      blocks.push({ type: "text", text: part.text });
    }
  }
  return [...blocks, ...objectsIn(calls).map(toolUse)];
}

function toolUse(call: JsonObject): Block {
  const { name, text } = toolCallText(call);
  return { type: "tool_use", id: call.id, name, input: inputOf(text) };
}

/**
 * Arguments that are no object have a member of their own, as Anthropic recommends:
 * https://docs.claude.com/en/docs/agents-and-tools/tool-use/fine-grained-tool-streaming
 */
function inputOf(text: string): JsonObject {
  if (text.trim() === "") return {};
  // The model may generate text that is not JSON, or be cut off within it.
  return jsonObjectOf(text) ?? { INVALID_JSON: text };
}
