import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { type ChatUsage, membersOf, tokenCountOf } from "../chat-usage.ts";
import { readCompletionUsage } from "../completion-usage.ts";

/** Reads the usage of a chat completion or of a response, as OpenAI and those that follow it write it. */
export function readUsageBlock(block: unknown): ChatUsage | undefined {
  if (!isJsonObject(block)) return undefined;
  return block.prompt_tokens === undefined ? readResponse(block) : readCompletion(block);
}

function readCompletion(block: JsonObject): ChatUsage | undefined {
  return readCompletionUsage(block, {
    reasoningIsApart: countsReasoningApart(block),
    // DeepSeek's name for cached tokens.
    cachedTokens: tokenCountOf(block.prompt_cache_hit_tokens),
  });
}

/**
 * Whether the total counts the tokens of reasoning beside the completion, as models do that a proxy
 * serves without changing their usage. OpenAI's total is that of the prompt and the completion alone,
 * so this is false for a block of OpenAI that has reasoning.
 */
function countsReasoningApart(block: JsonObject): boolean {
  const { reasoning_tokens } = membersOf(block.completion_tokens_details);
  const counts = [block.prompt_tokens, block.completion_tokens, reasoning_tokens];
  const sum = counts.reduce<bigint>((total, count) => total + tokenCountOf(count), 0n);
  return tokenCountOf(block.total_tokens) === sum;
}

/** Reads the usage of a response, which has other names for the same counts. */
function readResponse(block: JsonObject): ChatUsage | undefined {
  const usage = readCompletion({
    prompt_tokens: block.input_tokens,
    completion_tokens: block.output_tokens,
    total_tokens: block.total_tokens,
    prompt_tokens_details: block.input_tokens_details,
    completion_tokens_details: block.output_tokens_details,
    server_tool_use: block.server_tool_use,
    server_side_tool_usage_details: block.server_side_tool_usage_details,
  });
  return usage === undefined ? undefined : { ...usage, block };
}
