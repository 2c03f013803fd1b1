import { isJsonObject, readCount } from "@tollgate/core/json";
import { minOf } from "@tollgate/core/money";
import { type ChatUsage, membersOf, tokenCountOf, usageWithCache } from "../chat-usage.ts";

/**
 * Reads the usage of Cohere, which bills less than it counts: its own instructions are free.
 * `billed_units` includes the tokens of the cache. https://docs.cohere.com/reference/chat
 */
export function readUsageBlock(block: unknown): ChatUsage | undefined {
  if (!isJsonObject(block)) return undefined;
  const counted = isJsonObject(block.billed_units) ? block.billed_units : membersOf(block.tokens);
  const promptTokens = readCount(counted.input_tokens);
  const completionTokens = readCount(counted.output_tokens);
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  const cachedTokens = minOf(tokenCountOf(block.cached_tokens), promptTokens);
  const counts = { promptTokens, completionTokens, cachedTokens };
  return usageWithCache(block, { ...counts, writtenTokens: 0n, hourTokens: 0n });
}
