import { sendJson } from "../send-json.ts";
import { type ChatContext, commonFields } from "./chat-context.ts";
import type { Choice } from "./generation.ts";
import { reportUsage } from "./usage-report.ts";

/** Sends a completion as one JSON object, or breaks it as the commands specify. */
export async function sendCompletion(context: ChatContext): Promise<void> {
  const { call, recorded, commands, generation } = context;
  recorded.completionTokens = generation.usage.completionTokens;
  await sendJson(call, recorded, commands, JSON.stringify(completionOf(context)));
}

function completionOf(context: ChatContext): object {
  const { commands, generation } = context;
  return {
    ...commonFields(context, "chat.completion"),
    choices: generation.choices.map(choiceOf),
    ...reportUsage(generation.usage, commands),
  };
}

function choiceOf({ index, content, toolCall, finishReason }: Choice): object {
  const message = toolCall
    ? { role: "assistant", content: null, refusal: null, tool_calls: [toolCallOf(toolCall)] }
    : { role: "assistant", content, refusal: null };
  return { index, message, logprobs: null, finish_reason: finishReason };
}

function toolCallOf(toolCall: { id: string; name: string; arguments: string }): object {
  const { id, name } = toolCall;
  return { id, type: "function", function: { name, arguments: toolCall.arguments } };
}
