import type { TokenDimension } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import { totalTokens } from "../../usage/usage.ts";

/** Returns usage as OpenAI's Responses API reports it: `input_tokens` with those of the cache. */
export function responseUsage(usage: ChatUsage): JsonObject {
  const written = tokensOf(usage, "cache_write") + tokensOf(usage, "cache_write_1h");
  return {
    input_tokens: Number(usage.promptTokens),
    input_tokens_details: {
      cached_tokens: Number(usage.cachedTokens),
      cache_write_tokens: Number(written),
    },
    output_tokens: Number(usage.completionTokens),
    output_tokens_details: { reasoning_tokens: Number(usage.reasoningTokens) },
    total_tokens: Number(totalTokens(usage)),
  };
}

function tokensOf({ tokens }: ChatUsage, dimension: TokenDimension): bigint {
  return tokens.find((one) => one.dimension === dimension)?.quantity ?? 0n;
}
