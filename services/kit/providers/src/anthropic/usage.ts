import { isJsonObject, readCount } from "@tollgate/core/json";
import { type ChatUsage, divide, membersOf, readToolCalls, tokenCountOf } from "../chat-usage.ts";

/**
 * Reads the usage of a message: `input_tokens` excludes the tokens of the cache, whatever else the block
 * has. The first event of a stream says nothing of the output. https://docs.claude.com/en/api/messages#response-usage
 */
export function readUsage(block: unknown): ChatUsage | undefined {
  if (!isJsonObject(block)) return undefined;
  const input = readCount(block.input_tokens);
  if (input === undefined) return undefined;
  const output = readCount(block.output_tokens);
  const completionTokens = output ?? 0n;
  const cachedTokens = tokenCountOf(block.cache_read_input_tokens);
  const byLifetime = membersOf(block.cache_creation);
  const hour = tokenCountOf(byLifetime.ephemeral_1h_input_tokens);
  const byLifetimeSum = tokenCountOf(byLifetime.ephemeral_5m_input_tokens) + hour;
  const sum = tokenCountOf(block.cache_creation_input_tokens);
  // The lifetimes are missing where the cache was written by a tool's calls.
  const written = sum > byLifetimeSum ? sum : byLifetimeSum;
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
    toolCalls: readToolCalls(block),
    basis: "provider",
    details: { prompt_tokens_details: { cached_tokens: Number(cachedTokens) } },
    block,
    ...(output === undefined ? { isPromptOnly: true } : {}),
  };
}
