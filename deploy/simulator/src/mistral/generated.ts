import { type GeneratedChoice, generate } from "../chat/generation.ts";
import type { Commands } from "../commands.ts";
import { piecesOf } from "../pieces.ts";
import { chatFromMistral, type MistralChatRequest } from "./request.ts";

type Content = { type: "text"; text: string } | { type: "thinking"; thinking: Content[] };

interface Delta {
  content?: string | Content[];
  tool_calls?: object[];
}

/** A generated message, before it is sent as JSON or as a stream. */
export interface MistralMessage {
  id: string;
  /** What each chunk of a stream has. Calls are whole, in one chunk. */
  deltas: readonly Delta[];
  message: object;
  finishReason: string;
  usage: object;
  promptTokens: number;
  completionTokens: number;
}

const thought = "The user wrote something. I will respond to it.";

/** Generates the message for one request. */
export function generateMistral(
  request: MistralChatRequest,
  commands: Commands,
  seq: number,
): MistralMessage {
  const { choices, usage } = generate(chatFromMistral(request), commands, seq);
  const [choice] = choices;
  const { content = "", toolCall } = choice ?? {};
  const thoughts = thinks(request) ? [thought] : [];
  const calls = toolCall === undefined ? [] : callsOf(toolCall, commands.calls ?? 1, seq);
  const texts = piecesOf(content, commands.chunks);
  const text: Content[] = content === "" ? [] : [{ type: "text", text: content }];
  const whole = thoughts.length > 0 ? [...thoughts.map(thinking), ...text] : content;
  return {
    id: seq.toString(16).padStart(32, "0"),
    deltas: [
      ...thoughts.flatMap((one) => piecesOf(one)).map((one) => ({ content: [thinking(one)] })),
      ...texts.map((one) => ({ content: one })),
      ...(calls.length === 0 ? [] : [{ content: "", tool_calls: calls }]),
    ],
    message: {
      role: "assistant",
      content: whole,
      tool_calls: calls.length === 0 ? null : calls,
    },
    finishReason: commands.malformed_call ? "error" : (choice?.finishReason ?? "stop"),
    usage: commands.usage_block ?? usageOf(usage, commands),
    ...usage,
  };
}

/** Magistral thinks unless `reasoning_effort` is `none`; other models where it has another value. */
function thinks({ model, reasoning_effort: effort }: MistralChatRequest): boolean {
  if (typeof effort === "string") return effort !== "none";
  return model.startsWith("magistral");
}

function thinking(text: string): Content {
  return { type: "thinking", thinking: [{ type: "text", text }] };
}

function callsOf(
  call: NonNullable<GeneratedChoice["toolCall"]>,
  count: number,
  seq: number,
): object[] {
  const { name, arguments: text } = call;
  return Array.from({ length: count }, (_, index) => ({
    id: `c${seq}x${index}`.padEnd(9, "0").slice(-9),
    function: { name, arguments: text },
    index,
  }));
}

function usageOf(
  { promptTokens, completionTokens }: { promptTokens: number; completionTokens: number },
  { cached }: Commands,
): object {
  const total_tokens = promptTokens + completionTokens;
  const counted = {
    prompt_tokens: promptTokens,
    total_tokens,
    completion_tokens: completionTokens,
  };
  if (cached === undefined) return counted;
  const { read } = cached;
  const details = { prompt_tokens_details: { cached_tokens: read } };
  return { ...counted, num_cached_tokens: read, ...details };
}
