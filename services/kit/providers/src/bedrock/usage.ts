import { isJsonObject, type JsonObject, readCount } from "@tollgate/core/json";
import { type ChatUsage, divide, tokenCountOf } from "../chat-usage.ts";

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
  const hour = writtenFor("1h", block.cacheDetails);
  const written = maxOf(tokenCountOf(block.cacheWriteInputTokens), hour);
  const promptTokens = input + cachedTokens + written;
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    tokens: [
      ...divide(promptTokens, "input", [
        ["cached_input", cachedTokens],
        ["cache_write", written - hour],
        ["cache_write_1h", hour],
      ]),
      { dimension: "output", quantity: completionTokens },
    ],
    reasoningTokens: 0n,
    toolCalls: [],
    basis: "provider",
    details: { prompt_tokens_details: { cached_tokens: Number(cachedTokens) } },
    block,
  };
}

/** Returns the tokens that were written to the cache for a lifetime. */
function writtenFor(lifetime: string, details: unknown): bigint {
  if (!Array.isArray(details)) return 0n;
  return details
    .filter((one) => isJsonObject(one) && one.ttl === lifetime)
    .reduce((sum: bigint, one: JsonObject) => sum + tokenCountOf(one.inputTokens), 0n);
}

function maxOf(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
