import type { TokenDimension } from "@tollgate/catalog/model";
import { isJsonObject, type JsonObject, readCount } from "@tollgate/core/json";
import { minOf } from "@tollgate/core/money";
import type { ChatUsage, ToolCalls, UsedTokens } from "./usage/usage.ts";

/**
 * Reads a provider's usage block: one with the members of a chat completion, as OpenAI, OpenRouter,
 * DeepSeek, Mistral, vLLM and xAI write it, a response's, Anthropic's, Gemini's, Bedrock's or
 * Cohere's. Returns undefined for any other block, which cannot be billed from. A count that
 * contradicts another one is lowered to it.
 */
export function readUsage(block: unknown): ChatUsage | undefined {
  if (!isJsonObject(block)) return undefined;
  return (
    readCompletionUsage(block) ??
    readResponseUsage(block) ??
    readMessageUsage(block) ??
    readGeminiUsage(block) ??
    readBedrockUsage(block) ??
    readCohereUsage(block)
  );
}

/**
 * Reads a chat completion's usage: `prompt_tokens` includes the tokens of the cache. xAI's
 * `completion_tokens` excludes those of reasoning, which its total includes.
 * https://docs.x.ai/docs/key-information/consumption-and-rate-limits
 */
function readCompletionUsage(block: JsonObject): ChatUsage | undefined {
  const promptTokens = readCount(block.prompt_tokens);
  const completionCount = readCount(block.completion_tokens);
  if (promptTokens === undefined || completionCount === undefined) return undefined;
  const prompt = membersOf(block.prompt_tokens_details);
  const completion = membersOf(block.completion_tokens_details);
  const reasoningTokens = countOf(completion.reasoning_tokens);
  const withReasoning = completionCount + reasoningTokens;
  const isApart = countOf(block.total_tokens) === promptTokens + withReasoning;
  const completionTokens = isApart ? withReasoning : completionCount;
  // DeepSeek and Mistral have their own names for what others call cached tokens.
  const cached =
    countOf(prompt.cached_tokens) ||
    countOf(block.prompt_cache_hit_tokens) ||
    countOf(block.num_cached_tokens);
  const details: Record<string, unknown> = {};
  for (const name of ["prompt_tokens_details", "completion_tokens_details"]) {
    if (isJsonObject(block[name])) details[name] = block[name];
  }
  return {
    promptTokens,
    completionTokens,
    cachedTokens: minOf(cached, promptTokens),
    tokens: [
      ...divide(promptTokens, "input", [
        ["cached_input", cached],
        ["cache_write", countOf(prompt.cache_write_tokens)],
        ["audio_input", countOf(prompt.audio_tokens)],
      ]),
      ...divide(completionTokens, "output", [["audio_output", countOf(completion.audio_tokens)]]),
    ],
    reasoningTokens,
    toolCalls: readToolCalls(block),
    basis: "provider",
    details,
    block,
  };
}

/**
 * Reads the usage of OpenAI's Responses API: `input_tokens` includes the tokens of the cache. Its
 * total and its details distinguish it from Anthropic's.
 */
function readResponseUsage(block: JsonObject): ChatUsage | undefined {
  const { input_tokens, output_tokens, total_tokens } = block;
  if (!isJsonObject(block.input_tokens_details) && total_tokens === undefined) return undefined;
  const usage = readCompletionUsage({
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens,
    prompt_tokens_details: block.input_tokens_details,
    completion_tokens_details: block.output_tokens_details,
  });
  return usage === undefined ? undefined : { ...usage, block };
}

/** Reads the usage of Anthropic's messages: `input_tokens` excludes the tokens of the cache. */
function readMessageUsage(block: JsonObject): ChatUsage | undefined {
  const input = readCount(block.input_tokens);
  const completionTokens = readCount(block.output_tokens);
  if (input === undefined || completionTokens === undefined) return undefined;
  const cachedTokens = countOf(block.cache_read_input_tokens);
  const byLifetime = membersOf(block.cache_creation);
  const hour = countOf(byLifetime.ephemeral_1h_input_tokens);
  const byLifetimeSum = countOf(byLifetime.ephemeral_5m_input_tokens) + hour;
  const sum = countOf(block.cache_creation_input_tokens);
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
  };
}

/**
 * Reads the usage of Gemini: `promptTokenCount` includes the tokens of the cache, and
 * `candidatesTokenCount` excludes those of thoughts. Where it is missing, it is the rest of the total.
 * https://ai.google.dev/api/generate-content#UsageMetadata
 */
function readGeminiUsage(block: JsonObject): ChatUsage | undefined {
  const prompt = readCount(block.promptTokenCount);
  if (prompt === undefined) return undefined;
  const promptTokens = prompt + countOf(block.toolUsePromptTokenCount);
  const thoughts = countOf(block.thoughtsTokenCount);
  const rest = countOf(block.totalTokenCount) - promptTokens - thoughts;
  const candidates = readCount(block.candidatesTokenCount) ?? (rest > 0n ? rest : 0n);
  const completionTokens = candidates + thoughts;
  const cachedTokens = minOf(countOf(block.cachedContentTokenCount), promptTokens);
  const audio = audioTokens(block.promptTokensDetails);
  const cachedAudio = minOf(audioTokens(block.cacheTokensDetails), audio);
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    tokens: [
      ...divide(promptTokens, "input", [
        ["cached_input", cachedTokens],
        ["audio_input", audio - cachedAudio],
      ]),
      ...divide(completionTokens, "output", [
        ["audio_output", audioTokens(block.candidatesTokensDetails)],
      ]),
    ],
    reasoningTokens: thoughts,
    toolCalls: [],
    basis: "provider",
    details: {
      prompt_tokens_details: { cached_tokens: Number(cachedTokens) },
      completion_tokens_details: { reasoning_tokens: Number(thoughts) },
    },
    block,
  };
}

/**
 * Reads the usage of Bedrock's Converse API: `inputTokens` excludes the tokens of the cache.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
 */
function readBedrockUsage(block: JsonObject): ChatUsage | undefined {
  const input = readCount(block.inputTokens);
  const completionTokens = readCount(block.outputTokens);
  if (input === undefined || completionTokens === undefined) return undefined;
  const cachedTokens = countOf(block.cacheReadInputTokens);
  const hour = writtenFor("1h", block.cacheDetails);
  const written = maxOf(countOf(block.cacheWriteInputTokens), hour);
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

/**
 * Reads the usage of Cohere, which bills less than it counts: its own instructions are free.
 * `billed_units` includes the tokens of the cache. https://docs.cohere.com/reference/chat
 */
function readCohereUsage(block: JsonObject): ChatUsage | undefined {
  const counted = isJsonObject(block.billed_units) ? block.billed_units : membersOf(block.tokens);
  const promptTokens = readCount(counted.input_tokens);
  const completionTokens = readCount(counted.output_tokens);
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  const cachedTokens = minOf(countOf(block.cached_tokens), promptTokens);
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    tokens: [
      ...divide(promptTokens, "input", [["cached_input", cachedTokens]]),
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
    .reduce((sum: bigint, one: JsonObject) => sum + countOf(one.inputTokens), 0n);
}

function maxOf(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Returns the tokens of audio in a list of modalities. */
function audioTokens(details: unknown): bigint {
  if (!Array.isArray(details)) return 0n;
  const ofAudio = details.filter((one) => isJsonObject(one) && one.modality === "AUDIO");
  return countOf((ofAudio[0] as JsonObject | undefined)?.tokenCount);
}

/**
 * Divides a total among its parts, in their order: each has at most what those before it leave. The
 * dimension `rest`, which comes first, has what they all leave. Parts without tokens are left out.
 */
function divide(
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

const maxTools = 16;
const callsOfTool = /^([a-z][a-z0-9_]{0,63})_requests$/;

/** Reads the calls of tools that the provider runs: `{"web_search_requests": 2}`. */
function readToolCalls({ server_tool_use }: JsonObject): readonly ToolCalls[] {
  if (!isJsonObject(server_tool_use)) return [];
  const calls: ToolCalls[] = [];
  for (const [name, value] of Object.entries(server_tool_use).slice(0, maxTools)) {
    const tool = callsOfTool.exec(name)?.[1];
    const quantity = countOf(value);
    if (tool !== undefined && quantity > 0n) calls.push({ tool, quantity });
  }
  return calls;
}

function membersOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Returns a count, or zero for any other value. */
function countOf(value: unknown): bigint {
  return readCount(value) ?? 0n;
}
