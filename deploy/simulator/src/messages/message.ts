import { generate } from "../chat/generation.ts";
import type { Commands } from "../commands.ts";
import { chatFromMessagesRequest, type MessagesRequest, messagesThink } from "./request.ts";

/** A block of a generated message. */
export type GeneratedBlock =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "tool_use"; id: string; name: string; input: unknown };

/** A generated message, before it is sent as JSON or as a stream. */
export interface GeneratedMessage {
  id: string;
  content: readonly GeneratedBlock[];
  stopReason: "end_turn" | "max_tokens" | "tool_use" | "refusal";
  stopDetails: object | null;
  usage: Readonly<Record<string, unknown>>;
  completionTokens: number;
  promptTokens: number;
}

const thought = "The user wrote something. I will respond to it.";
const stopReasons = { stop: "end_turn", length: "max_tokens", tool_calls: "tool_use" } as const;

/** Generates the message for one request. */
export function generateMessage(
  request: MessagesRequest,
  commands: Commands,
  seq: number,
): GeneratedMessage {
  const { choices, usage } = generate(chatFromMessagesRequest(request), commands, seq);
  const [choice] = choices;
  const { promptTokens, completionTokens } = usage;
  const generated = { id: `msg_${seq}`, promptTokens, completionTokens };
  const reported = { ...generated, usage: commands.usage_block ?? usageOf(generated, commands) };
  if (commands.refusal) {
    const explanation = "The simulator was commanded to refuse.";
    const stopDetails = { type: "refusal", category: null, explanation };
    return { ...reported, content: [], stopReason: "refusal", stopDetails };
  }
  const content: GeneratedBlock[] = [];
  if (messagesThink(request)) {
    content.push({ type: "thinking", thinking: thought, signature: `signature-${seq}` });
  }
  if (choice?.content) content.push({ type: "text", text: choice.content });
  const isParallel = !(
    request.tool_choice !== undefined &&
    "disable_parallel_tool_use" in request.tool_choice &&
    request.tool_choice.disable_parallel_tool_use
  );
  const called = choice?.toolCall;
  if (called !== undefined) {
    for (let index = 0; index < (isParallel ? (commands.calls ?? 1) : 1); index += 1) {
      const input = parseInput(called.arguments);
      content.push({ type: "tool_use", id: `toolu_${seq}_${index}`, name: called.name, input });
    }
  }
  const stopReason = stopReasons[choice?.finishReason ?? "stop"];
  return { ...reported, content, stopReason, stopDetails: null };
}

function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function usageOf({ promptTokens, completionTokens }: Record<string, unknown>, commands: Commands) {
  const { read = 0, fiveMinutes = 0, oneHour = 0 } = commands.cached ?? {};
  return {
    input_tokens: promptTokens,
    cache_creation_input_tokens: fiveMinutes + oneHour,
    cache_read_input_tokens: read,
    cache_creation: {
      ephemeral_5m_input_tokens: fiveMinutes,
      ephemeral_1h_input_tokens: oneHour,
    },
    output_tokens: completionTokens,
    service_tier: "standard",
  };
}
