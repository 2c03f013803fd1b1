import type { TokenDimension } from "@tollgate/catalog/model";
import { isJsonObject, type JsonObject, readCount } from "@tollgate/core/json";
import { minOf } from "@tollgate/core/money";

/** The usage of a chat generation, and the basis on which it was measured. */
export interface ChatUsage {
  promptTokens: bigint;
  completionTokens: bigint;
  /** The tokens of the prompt that the provider read from its cache. */
  cachedTokens: bigint;
  /** The tokens by dimension. Those of the prompt, and of the completion, sum to their totals. */
  tokens: readonly UsedTokens[];
  /** The part of the dimension `output` that is one of its own where it has a price. */
  reasoningTokens: bigint;
  /** The calls of tools that the provider runs. */
  toolCalls: readonly ToolCalls[];
  basis: "provider" | "tokenized";
  /** Whether the block reports the prompt only. The tokens of the completion are then zero. */
  isPromptOnly?: boolean;
  /** The provider's detail blocks, sent to the client unchanged. */
  details: Record<string, unknown>;
  /** The provider's block; undefined where it reported none. */
  block?: JsonObject;
}

export interface UsedTokens {
  dimension: TokenDimension;
  quantity: bigint;
}

export interface ToolCalls {
  tool: string;
  quantity: bigint;
}

/**
 * Divides a total among its parts, in their order: each has at most what those before it leave. The
 * dimension `rest`, which comes first, has what they all leave. Parts without tokens are left out.
 */
export function divide(
  total: bigint,
  rest: TokenDimension,
  parts: readonly (readonly [TokenDimension, bigint])[],
): UsedTokens[] {
  let left = total;
  const used: UsedTokens[] = [];
  for (const [dimension, count] of parts) {
    const quantity = minOf(count, left);
    if (quantity === 0n) continue;
    left -= quantity;
    used.push({ dimension, quantity });
  }
  return [{ dimension: rest, quantity: left }, ...used];
}

/** What a block reports of text and of the prompt cache. */
export interface CacheCounts {
  /** With the tokens of the cache. */
  promptTokens: bigint;
  completionTokens: bigint;
  cachedTokens: bigint;
  /** What was written to the cache, with what is kept for an hour. */
  writtenTokens: bigint;
  hourTokens: bigint;
}

/** Returns the usage of a block that reports text and the prompt cache, and neither reasoning nor tools. */
export function usageWithCache(block: JsonObject, counts: CacheCounts): ChatUsage {
  const { promptTokens, completionTokens, cachedTokens, writtenTokens, hourTokens } = counts;
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    tokens: [
      ...divide(promptTokens, "input", [
        ["cached_input", cachedTokens],
        ["cache_write", writtenTokens - hourTokens],
        ["cache_write_1h", hourTokens],
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

const maxTools = 16;
const callsOfTool = /^([a-z][a-z0-9_]{0,63})_requests$/;
const callsOfXaiTool = /^([a-z][a-z0-9_]{0,63})_calls$/;

/**
 * Reads the calls of tools that the provider runs: Anthropic's `{"web_search_requests": 2}`, and xAI's
 * `{"web_search_calls": 2}`. A count of zero is a report, too.
 */
export function readToolCalls({
  server_tool_use,
  server_side_tool_usage_details,
}: JsonObject): readonly ToolCalls[] {
  if (isJsonObject(server_tool_use)) return callsIn(server_tool_use, callsOfTool);
  if (!isJsonObject(server_side_tool_usage_details)) return [];
  return callsIn(server_side_tool_usage_details, callsOfXaiTool);
}

function callsIn(counts: JsonObject, pattern: RegExp): ToolCalls[] {
  const calls: ToolCalls[] = [];
  for (const [name, value] of Object.entries(counts).slice(0, maxTools)) {
    const tool = pattern.exec(name)?.[1];
    const quantity = readCount(value);
    if (tool !== undefined && quantity !== undefined) {
      calls.push({ tool: toolNames[tool] ?? tool, quantity });
    }
  }
  return calls;
}

/** Names of tools that have another one in the catalog. */
const toolNames: Readonly<Record<string, string>> = { code_interpreter: "code_execution" };

/** Returns usage with the calls of tools that it does not report itself. */
export function withToolCalls(usage: ChatUsage, calls: readonly ToolCalls[]): ChatUsage {
  const others = calls.filter(({ tool }) => !usage.toolCalls.some((one) => one.tool === tool));
  if (others.length === 0) return usage;
  return { ...usage, toolCalls: [...usage.toolCalls, ...others] };
}

/** Returns the members of an object, or none for any other value. */
export function membersOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Returns a count, or zero for any other value. */
export function tokenCountOf(value: unknown): bigint {
  return readCount(value) ?? 0n;
}
