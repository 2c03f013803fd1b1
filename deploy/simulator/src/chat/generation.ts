import type { Commands } from "../commands.ts";
import type { ToolCall } from "./invented-call.ts";
import { inventText } from "./invented-text.ts";
import type { ChatRequest } from "./request.ts";
import { scriptedTurn } from "./script.ts";
import { countPromptTokens, firstTokens, tokensOfCharacters } from "./tokens.ts";
import { inventToolCall } from "./tool-call.ts";

export interface GeneratedChoice {
  readonly index: number;
  /** Empty when the choice is a tool call. */
  readonly content: string;
  readonly toolCall: ToolCall | undefined;
  readonly finishReason: "stop" | "length" | "tool_calls";
}

export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Of these, the tokens of reasoning. */
  readonly reasoningTokens?: number;
}

/** The generated output for one request, before it is sent as JSON or as a stream. */
export interface SimulatedGeneration {
  readonly id: string;
  readonly choices: readonly GeneratedChoice[];
  /** The reported usage: the real count, or the value of the `usage` command. */
  readonly usage: Usage;
}

/** Generates the output for a request. Equal requests differ only in the ids derived from `seq`. */
export function generate(
  request: ChatRequest,
  commands: Commands,
  seq: number,
): SimulatedGeneration {
  const limit = request.max_completion_tokens ?? request.max_tokens ?? Number.POSITIVE_INFINITY;
  const choices: GeneratedChoice[] = [];
  let completionTokens = 0;
  const count = commands.no_choices ? 0 : (request.n ?? 1);
  for (let index = 0; index < count; index += 1) {
    const choice = invent(request, commands, { index, limit, seq });
    choices.push(choice);
    completionTokens += tokensOfCharacters(charactersOf(choice));
  }
  const { reasoning: reasoningTokens = 0 } = commands;
  const counted = {
    promptTokens: countPromptTokens(request.messages),
    completionTokens: completionTokens + reasoningTokens,
    reasoningTokens,
  };
  return { id: `chatcmpl-${seq}`, choices, usage: commands.usage ?? counted };
}

/** Counts the characters of a choice that are billed as completion. */
function charactersOf({ content, toolCall }: GeneratedChoice): number {
  return content.length + (toolCall ? toolCall.name.length + toolCall.arguments.length : 0);
}

function invent(
  request: ChatRequest,
  commands: Commands,
  { index, limit, seq }: { index: number; limit: number; seq: number },
): GeneratedChoice {
  const id = `call_${seq}_${index}`;
  const turn = scriptedTurn(request, id) ?? { toolCall: inventToolCall(request, id) };
  const fullCall = "text" in turn ? undefined : turn.toolCall;
  if (fullCall === undefined) {
    const text = "text" in turn ? turn.text : inventText(request, commands, index);
    const content = firstTokens(text, limit);
    const finishReason = content.length < text.length ? "length" : "stop";
    return { index, content, toolCall: undefined, finishReason };
  }
  const { name } = fullCall;
  const json = firstTokens(name + fullCall.arguments, limit).slice(name.length);
  const finishReason = json.length < fullCall.arguments.length ? "length" : "tool_calls";
  return { index, content: "", toolCall: { ...fullCall, arguments: json }, finishReason };
}
