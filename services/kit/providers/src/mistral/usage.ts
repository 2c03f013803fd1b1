import { isJsonObject } from "@tollgate/core/json";
import { type ChatUsage, membersOf, tokenCountOf } from "../chat-usage.ts";
import { readCompletionUsage } from "../completion-usage.ts";

/**
 * Reads the usage of Mistral, whose completion includes the tokens of thinking. It has the tokens of the
 * cache in the details of the prompt, of which its API has two spellings, in `num_cached_tokens`, or in both.
 * https://docs.mistral.ai/studio-api/conversations/advanced/prompt-caching
 */
export function readUsageBlock(block: unknown): ChatUsage | undefined {
  if (!isJsonObject(block)) return undefined;
  const { cached_tokens } = membersOf(block.prompt_token_details);
  const cachedTokens = tokenCountOf(block.num_cached_tokens) || tokenCountOf(cached_tokens);
  return readCompletionUsage(block, { reasoningIsApart: false, cachedTokens });
}
