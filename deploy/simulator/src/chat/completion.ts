import { sendJson } from "../send-json.ts";
import type { Choice } from "./generation.ts";
import { headOf, type Order } from "./order.ts";
import { reportUsage } from "./usage-report.ts";

/** Answers with one JSON object, or with the broken one that the commands ask for. */
export async function sendCompletion(order: Order): Promise<void> {
  const { call, entry, commands, generation } = order;
  entry.completionTokens = generation.usage.completionTokens;
  await sendJson(call, entry, commands, JSON.stringify(completionOf(order)));
}

function completionOf(order: Order): object {
  const { commands, generation } = order;
  return {
    ...headOf(order, "chat.completion"),
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
