import { isJsonObject, type JsonObject, readCount } from "@tollgate/core/json";
import { maxOf } from "@tollgate/core/money";
import { type ChatUsage, tokenCountOf, usageWithCache } from "../chat-usage.ts";

/**
 * Reads the usage of Bedrock's Converse API: `inputTokens` excludes the tokens of the cache.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
 */
export function readUsageBlock(block: unknown): ChatUsage | undefined {
  if (!isJsonObject(block)) return undefined;
  const input = readCount(block.inputTokens);
  const completionTokens = readCount(block.outputTokens);
  if (input === undefined || completionTokens === undefined) return undefined;
  const cachedTokens = tokenCountOf(block.cacheReadInputTokens);
  const hourTokens = writtenFor("1h", block.cacheDetails);
  const writtenTokens = maxOf(tokenCountOf(block.cacheWriteInputTokens), hourTokens);
  const promptTokens = input + cachedTokens + writtenTokens;
  const counts = { promptTokens, completionTokens, cachedTokens, writtenTokens, hourTokens };
  return usageWithCache(block, counts);
}

/** Returns the tokens that were written to the cache for a lifetime. */
function writtenFor(lifetime: string, details: unknown): bigint {
  if (!Array.isArray(details)) return 0n;
  return details
    .filter((one) => isJsonObject(one) && one.ttl === lifetime)
    .reduce((sum: bigint, one: JsonObject) => sum + tokenCountOf(one.inputTokens), 0n);
}
