import type { Commands } from "../commands.ts";
import { inventText } from "./invented-text.ts";
import type { ChatRequest } from "./request.ts";
import { countPromptTokens, countTokens, firstTokens } from "./tokens.ts";
import { inventToolCall, type ToolCall } from "./tool-call.ts";

export interface Choice {
  readonly index: number;
  /** Empty when the choice is a tool call. */
  readonly content: string;
  readonly toolCall: ToolCall | undefined;
  readonly finishReason: "stop" | "length" | "tool_calls";
}

export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** All that the model says to one request, before it is written in either form. */
export interface Generation {
  readonly id: string;
  readonly choices: readonly Choice[];
  /** What is reported: the real count, or what the `usage` command says. */
  readonly usage: Usage;
}

/** The answer to a request. Equal requests get equal answers, but for the ids made from `seq`. */
export function generate(request: ChatRequest, commands: Commands, seq: number): Generation {
  const limit = request.max_completion_tokens ?? request.max_tokens ?? Number.POSITIVE_INFINITY;
  const choices: Choice[] = [];
  let completionTokens = 0;
  const count = commands.no_choices ? 0 : (request.n ?? 1);
  for (let index = 0; index < count; index += 1) {
    const choice = invent(request, commands, { index, limit, seq });
    choices.push(choice);
    completionTokens += countTokens(charactersOf(choice));
  }
  const counted = { promptTokens: countPromptTokens(request.messages), completionTokens };
  return { id: `chatcmpl-${seq}`, choices, usage: commands.usage ?? counted };
}

/** The characters of a choice that count as completion. */
function charactersOf({ content, toolCall }: Choice): number {
  return content.length + (toolCall ? toolCall.name.length + toolCall.arguments.length : 0);
}

function invent(
  request: ChatRequest,
  commands: Commands,
  { index, limit, seq }: { index: number; limit: number; seq: number },
): Choice {
  const wholeCall = inventToolCall(request, `call_${seq}_${index}`);
  if (wholeCall === undefined) {
    const text = inventText(request, commands, index);
    const content = firstTokens(text, limit);
    const finishReason = content.length < text.length ? "length" : "stop";
    return { index, content, toolCall: undefined, finishReason };
  }
  const { name } = wholeCall;
  const kept = firstTokens(name + wholeCall.arguments, limit).slice(name.length);
  const finishReason = kept.length < wholeCall.arguments.length ? "length" : "tool_calls";
  return { index, content: "", toolCall: { ...wholeCall, arguments: kept }, finishReason };
}
