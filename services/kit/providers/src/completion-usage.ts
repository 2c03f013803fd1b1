import { isJsonObject, type JsonObject, readCount } from "@tollgate/core/json";
import { minOf } from "@tollgate/core/money";
import { type ChatUsage, divide, membersOf, readToolCalls, tokenCountOf } from "./chat-usage.ts";

/** What vendors with OpenAI's usage block count their own way. */
export interface OwnCounts {
  /** Whether `completion_tokens` excludes the tokens of reasoning. */
  reasoningIsApart: boolean;
  /** The cached tokens by a member of the vendor's own, read where the details have none. */
  cachedTokens: bigint;
}

/**
 * Reads the usage block of a chat completion. The prompt includes the tokens of the cache, whatever else
 * the block has. A count that contradicts another one is lowered to it. A side that is left out, as Gemini's
 * endpoint does with a completion of none, is the rest of the total.
 */
export function readCompletionUsage(block: JsonObject, own: OwnCounts): ChatUsage | undefined {
  const prompt = membersOf(block.prompt_tokens_details);
  const completion = membersOf(block.completion_tokens_details);
  const reasoningTokens = tokenCountOf(completion.reasoning_tokens);
  const completionCount = readCount(block.completion_tokens);
  const reported =
    own.reasoningIsApart && completionCount !== undefined
      ? completionCount + reasoningTokens
      : completionCount;
  const promptTokens = readCount(block.prompt_tokens) ?? restOf(block.total_tokens, reported);
  if (promptTokens === undefined) return undefined;
  const completionTokens = reported ?? restOf(block.total_tokens, promptTokens) ?? 0n;
  const cached = tokenCountOf(prompt.cached_tokens) || own.cachedTokens;
  const details: Record<string, unknown> = {};
  for (const name of ["prompt_tokens_details", "completion_tokens_details"]) {
    if (isJsonObject(block[name])) details[name] = block[name];
  }
  return {
    promptTokens,
    completionTokens,
    cachedTokens: minOf(cached, promptTokens),
    tokens: [
      ...divide(promptTokens, "input", [
        ["cached_input", cached],
        ["cache_write", tokenCountOf(prompt.cache_write_tokens)],
        ["audio_input", tokenCountOf(prompt.audio_tokens)],
      ]),
      ...divide(completionTokens, "output", [
        ["audio_output", tokenCountOf(completion.audio_tokens)],
      ]),
    ],
    reasoningTokens,
    toolCalls: readToolCalls(block),
    basis: "provider",
    details,
    block,
    ...(reported === undefined && completionTokens === 0n ? { isPromptOnly: true } : {}),
  };
}

/** Returns what a total has beside a part of it; undefined where one of them is not reported. */
function restOf(total: unknown, part: bigint | undefined): bigint | undefined {
  const count = readCount(total);
  return count === undefined || part === undefined || count < part ? undefined : count - part;
}
