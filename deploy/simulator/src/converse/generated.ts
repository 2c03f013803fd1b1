import { generate } from "../chat/generation.ts";
import type { Commands } from "../commands.ts";
import { type ConverseRequest, chatFromConverse, converseThinks } from "./request.ts";

/** A block of a generated message. */
export type ConverseBlock =
  | { text: string }
  | { reasoningContent: { reasoningText: { text: string; signature: string } } }
  | { toolUse: { toolUseId: string; name: string; input: unknown } };

/** A generated message, before it is sent as JSON or as a stream. */
export interface ConverseMessage {
  content: readonly ConverseBlock[];
  stopReason: "end_turn" | "max_tokens" | "tool_use" | "content_filtered" | "malformed_tool_use";
  usage: Readonly<Record<string, unknown>>;
  promptTokens: number;
  completionTokens: number;
}

const thought = "The user wrote something. I will respond to it.";
const stopReasons = { stop: "end_turn", length: "max_tokens", tool_calls: "tool_use" } as const;

/** Generates the message for one request. */
export function generateConverse(
  model: string,
  request: ConverseRequest,
  commands: Commands,
  seq: number,
): ConverseMessage {
  const { choices, usage: counted } = generate(chatFromConverse(model, request), commands, seq);
  const [choice] = choices;
  const usage = commands.usage_block ?? usageOf(counted, commands);
  const generated = { ...counted, usage };
  if (commands.refusal) return { ...generated, content: [], stopReason: "content_filtered" };
  if (commands.malformed_call) {
    return { ...generated, content: [], stopReason: "malformed_tool_use" };
  }
  const content: ConverseBlock[] = [];
  if (converseThinks(request)) {
    const reasoningText = { text: thought, signature: `signature-${seq}` };
    content.push({ reasoningContent: { reasoningText } });
  }
  if (choice?.content) content.push({ text: choice.content });
  const called = choice?.toolCall;
  const choiceOf = request.additionalModelRequestFields?.tool_choice;
  const calls = choiceOf?.disable_parallel_tool_use ? 1 : (commands.calls ?? 1);
  for (let index = 0; called !== undefined && index < calls; index += 1) {
    const toolUseId = `tooluse_${seq}_${index}`;
    content.push({ toolUse: { toolUseId, name: called.name, input: parse(called.arguments) } });
  }
  return { ...generated, content, stopReason: stopReasons[choice?.finishReason ?? "stop"] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html */
function usageOf(
  { promptTokens, completionTokens }: { promptTokens: number; completionTokens: number },
  commands: Commands,
) {
  const { read = 0, fiveMinutes = 0, oneHour = 0 } = commands.cached ?? {};
  const written = fiveMinutes + oneHour;
  return {
    inputTokens: promptTokens,
    outputTokens: completionTokens,
    totalTokens: promptTokens + completionTokens + read + written,
    cacheReadInputTokens: read,
    cacheWriteInputTokens: written,
    ...(written === 0
      ? {}
      : {
          cacheDetails: [
            { inputTokens: fiveMinutes, ttl: "5m" },
            { inputTokens: oneHour, ttl: "1h" },
          ],
        }),
  };
}
