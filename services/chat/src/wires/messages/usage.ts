import type { TokenDimension } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { ChatUsage } from "@tollgate/providers/chat-usage";

/** Returns usage as Anthropic's API reports it: `input_tokens` without those of the cache. */
export function messageUsage(usage: ChatUsage): JsonObject {
  const read = tokensOf(usage, "cached_input");
  const written = tokensOf(usage, "cache_write") + tokensOf(usage, "cache_write_1h");
  return {
    input_tokens: Number(usage.promptTokens - read - written),
    cache_creation_input_tokens: Number(written),
    cache_read_input_tokens: Number(read),
    output_tokens: Number(usage.completionTokens),
  };
}

function tokensOf({ tokens }: ChatUsage, dimension: TokenDimension): bigint {
  return tokens.find((one) => one.dimension === dimension)?.quantity ?? 0n;
}
