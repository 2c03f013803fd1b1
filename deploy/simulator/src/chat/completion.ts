import type { Commands } from "../commands.ts";
import { sendJson } from "../send-json.ts";
import { type ChatContext, commonFields } from "./chat-context.ts";
import { callBody } from "./custom-tool-call.ts";
import { simulatedFinishReason } from "./finish-reason.ts";
import type { GeneratedChoice } from "./generation.ts";
import { parallelCalls, type ToolCall } from "./invented-call.ts";
import { fillerOf } from "./invented-text.ts";
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
    choices: generation.choices.map((choice) => choiceOf(choice, commands)),
    ...reportUsage(generation.usage, commands),
  };
}

function choiceOf(choice: GeneratedChoice, commands: Commands): object {
  const { index, content, toolCall } = choice;
  const thought = commands.show_reasoning
    ? { reasoning_content: fillerOf(commands.reasoning ?? 1) }
    : {};
  const message = toolCall
    ? {
        role: "assistant",
        content: null,
        refusal: null,
        ...thought,
        tool_calls: parallelCalls(toolCall, commands).map(callOf),
      }
    : { role: "assistant", content, refusal: null, ...thought };
  return { index, message, logprobs: null, finish_reason: simulatedFinishReason(choice, commands) };
}

function callOf(toolCall: ToolCall): object {
  return { id: toolCall.id, ...callBody(toolCall, toolCall.arguments) };
}
