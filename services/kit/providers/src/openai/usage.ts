import { isJsonObject, type JsonObject, readCount } from "@tollgate/core/json";
import { minOf } from "@tollgate/core/money";
import { type ChatUsage, divide, membersOf, readToolCalls, tokenCountOf } from "../chat-usage.ts";

/**
 * Reads the usage of a chat completion or of a response, as OpenAI and the many that follow it write it.
 * Both include the tokens of the cache in those of the prompt, whatever else the block has. A count that
 * contradicts another one is lowered to it.
 */
export function readUsage(block: unknown): ChatUsage | undefined {
  if (!isJsonObject(block)) return undefined;
  return block.prompt_tokens === undefined ? readResponse(block) : readCompletion(block);
}

/**
 * Reads the usage of a chat completion. xAI's `completion_tokens` excludes those of reasoning, which its
 * total includes. https://docs.x.ai/docs/key-information/consumption-and-rate-limits
 */
function readCompletion(block: JsonObject): ChatUsage | undefined {
  const promptTokens = readCount(block.prompt_tokens);
  const completionCount = readCount(block.completion_tokens);
  if (promptTokens === undefined || completionCount === undefined) return undefined;
  const prompt = membersOf(block.prompt_tokens_details);
  const completion = membersOf(block.completion_tokens_details);
  const reasoningTokens = tokenCountOf(completion.reasoning_tokens);
  const withReasoning = completionCount + reasoningTokens;
  const isApart = tokenCountOf(block.total_tokens) === promptTokens + withReasoning;
  const completionTokens = isApart ? withReasoning : completionCount;
  // DeepSeek and Mistral have their own names for what others call cached tokens.
  const cached =
    tokenCountOf(prompt.cached_tokens) ||
    tokenCountOf(block.prompt_cache_hit_tokens) ||
    tokenCountOf(block.num_cached_tokens);
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
  };
}

/** Reads the usage of a response, which has other names for the same counts. */
function readResponse(block: JsonObject): ChatUsage | undefined {
  const usage = readCompletion({
    prompt_tokens: block.input_tokens,
    completion_tokens: block.output_tokens,
    total_tokens: block.total_tokens,
    prompt_tokens_details: block.input_tokens_details,
    completion_tokens_details: block.output_tokens_details,
  });
  return usage === undefined ? undefined : { ...usage, block };
}
