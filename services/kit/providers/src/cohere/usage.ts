import { isJsonObject, readCount } from "@tollgate/core/json";
import { minOf } from "@tollgate/core/money";
import { type ChatUsage, membersOf, tokenCountOf, usageWithCache } from "../chat-usage.ts";

/**
 * Reads the usage of Cohere, which bills less than it counts. Its own instructions are free, and so are the
 * tokens of its cache: `billed_units` has neither, and are plain input. Without them, the tokens of the
 * cache are part of those counted. https://docs.cohere.com/reference/chat
 */
export function readUsageBlock(block: unknown): ChatUsage | undefined {
  if (!isJsonObject(block)) return undefined;
  const billed = countsOf(block.billed_units, 0n);
  const counts = billed ?? countsOf(block.tokens, tokenCountOf(block.cached_tokens));
  return counts && usageWithCache(block, { ...counts, writtenTokens: 0n, hourTokens: 0n });
}

function countsOf(value: unknown, cached: bigint) {
  const { input_tokens, output_tokens } = membersOf(value);
  const promptTokens = readCount(input_tokens);
  const completionTokens = readCount(output_tokens);
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  return { promptTokens, completionTokens, cachedTokens: minOf(cached, promptTokens) };
}
