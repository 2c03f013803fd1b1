import { isJsonObject, type JsonObject, objectsIn, readCount } from "@tollgate/core/json";
import { type ChatUsage, membersOf, tokenCountOf } from "../chat-usage.ts";
import { readCompletionUsage } from "../completion-usage.ts";

/**
 * Reads the usage of a chat completion or of a response as OpenAI writes it, and those that follow it.
 * See `readCompatibleUsage` for what they count their own way.
 */
export function readUsageBlock(block: unknown): ChatUsage | undefined {
  if (!isJsonObject(block)) return undefined;
  const { prompt_tokens, completion_tokens } = block;
  const isResponse = prompt_tokens === undefined && completion_tokens === undefined;
  return isResponse ? readResponse(block) : readCompletion(block);
}

/**
 * Reads the usage of any provider with OpenAI's wire. What its total has beyond the prompt is the
 * completion: Gemini's endpoint, for example, counts its thinking there and nowhere else.
 */
export function readCompatibleUsage(block: unknown): ChatUsage | undefined {
  const usage = readUsageBlock(block);
  const total = isJsonObject(block) ? readCount(block.total_tokens) : undefined;
  if (usage === undefined || total === undefined) return usage;
  const uncounted = total - usage.promptTokens - usage.completionTokens;
  return uncounted > 0n ? withThinking(usage, uncounted) : usage;
}

function withThinking(usage: ChatUsage, thinkingTokens: bigint): ChatUsage {
  const tokens = usage.tokens.map((used) =>
    used.dimension === "output" ? { ...used, quantity: used.quantity + thinkingTokens } : used,
  );
  return {
    ...usage,
    tokens,
    completionTokens: usage.completionTokens + thinkingTokens,
    reasoningTokens: usage.reasoningTokens + thinkingTokens,
  };
}

/**
 * Returns the usage block of a completion or a chunk: its own, that of a choice (Moonshot), or that of
 * `x_groq` (Groq). Undefined where it has none.
 */
export function usageBlockIn({ usage, choices, x_groq }: JsonObject): JsonObject | undefined {
  if (isJsonObject(usage)) return usage;
  const inChoice = objectsIn(choices).find((choice) => isJsonObject(choice.usage))?.usage;
  const other = inChoice ?? membersOf(x_groq).usage;
  return isJsonObject(other) ? other : undefined;
}

function readCompletion(block: JsonObject): ChatUsage | undefined {
  return readCompletionUsage(block, {
    reasoningIsApart: countsReasoningApart(block),
    // The names of DeepSeek, and of Moonshot and Together.
    cachedTokens: tokenCountOf(block.prompt_cache_hit_tokens) || tokenCountOf(block.cached_tokens),
  });
}

/**
 * Whether the total counts the tokens of reasoning beside the completion, as models do that a proxy
 * serves without changing their usage. OpenAI's total is that of the prompt and the completion alone,
 * so this is false for a block of OpenAI that has reasoning.
 */
function countsReasoningApart(block: JsonObject): boolean {
  const { reasoning_tokens } = membersOf(block.completion_tokens_details);
  const counts = [block.prompt_tokens, block.completion_tokens, reasoning_tokens];
  const sum = counts.reduce<bigint>((total, count) => total + tokenCountOf(count), 0n);
  return tokenCountOf(block.total_tokens) === sum;
}

/** Reads the usage of a response, which has other names for the same counts. */
function readResponse(block: JsonObject): ChatUsage | undefined {
  const usage = readCompletion({
    prompt_tokens: block.input_tokens,
    completion_tokens: block.output_tokens,
    total_tokens: block.total_tokens,
    prompt_tokens_details: block.input_tokens_details,
    completion_tokens_details: block.output_tokens_details,
    server_tool_use: block.server_tool_use,
    server_side_tool_usage_details: block.server_side_tool_usage_details,
  });
  return usage === undefined ? undefined : { ...usage, block };
}
