import { isJsonObject, type JsonObject, objectsIn, readCount } from "@tollgate/core/json";
import { minOf } from "@tollgate/core/money";
import {
  type ChatUsage,
  membersOf,
  readToolCalls,
  tokenCountOf,
  usageWithCache,
} from "../chat-usage.ts";

/**
 * Reads the usage of a message: `input_tokens` excludes the tokens of the cache, whatever else the block
 * has. The first event of a stream has no count of the output. https://docs.claude.com/en/api/messages#response-usage
 */
export function readUsageBlock(block: unknown): ChatUsage | undefined {
  if (!isJsonObject(block)) return undefined;
  const own = readCounts(block);
  if (own === undefined) return undefined;
  const { input, cached, written, hour, completion } = withCompactions(own, block.iterations);
  const usage = usageWithCache(block, {
    promptTokens: input + cached + written,
    completionTokens: completion,
    cachedTokens: cached,
    writtenTokens: written,
    hourTokens: hour,
  });
  const reasoningTokens = minOf(own.thinking, completion);
  if (reasoningTokens > 0n) {
    usage.reasoningTokens = reasoningTokens;
    const details = { reasoning_tokens: Number(reasoningTokens) };
    usage.details = { ...usage.details, completion_tokens_details: details };
  }
  usage.toolCalls = readToolCalls(block);
  if (own.output === undefined) usage.isPromptOnly = true;
  return usage;
}

interface Counts {
  input: bigint;
  cached: bigint;
  /** What was written to the cache, with what is kept for an hour. */
  written: bigint;
  hour: bigint;
  completion: bigint;
}

interface OwnCounts extends Counts {
  /** Undefined where the block has no count of it. */
  output: bigint | undefined;
  /** The part of the output that is thinking. */
  thinking: bigint;
}

function readCounts(block: JsonObject): OwnCounts | undefined {
  const input = readCount(block.input_tokens);
  if (input === undefined) return undefined;
  const output = readCount(block.output_tokens);
  const cached = tokenCountOf(block.cache_read_input_tokens);
  const byLifetime = membersOf(block.cache_creation);
  const hour = tokenCountOf(byLifetime.ephemeral_1h_input_tokens);
  const byLifetimeSum = tokenCountOf(byLifetime.ephemeral_5m_input_tokens) + hour;
  const sum = tokenCountOf(block.cache_creation_input_tokens);
  // The lifetimes are missing where the cache was written by a tool's calls.
  const written = sum > byLifetimeSum ? sum : byLifetimeSum;
  const thinking = tokenCountOf(membersOf(block.output_tokens_details).thinking_tokens);
  return { input, cached, written, hour, completion: output ?? 0n, output, thinking };
}

/** Adds what Anthropic spent on summaries of the conversation, which its own sums do not have. */
function withCompactions(own: Counts, iterations: unknown): Counts {
  const total = { ...own };
  for (const iteration of objectsIn(iterations)) {
    const counts = iteration.type === "compaction" ? readCounts(iteration) : undefined;
    if (counts === undefined) continue;
    total.input += counts.input;
    total.cached += counts.cached;
    total.written += counts.written;
    total.hour += counts.hour;
    total.completion += counts.completion;
  }
  return total;
}
