import { isJsonObject } from "@tollgate/core/json";
import type { ChatUsage } from "../chat-usage.ts";
import { readCompletionUsage } from "../completion-usage.ts";
import { readUsageBlock as readOpenAiUsage } from "../openai/usage.ts";

/**
 * Reads the usage of xAI. The `completion_tokens` of a chat completion exclude those of reasoning, with
 * a total and without one; a response's `output_tokens` include them, as OpenAI's do.
 * https://docs.x.ai/docs/key-information/consumption-and-rate-limits
 */
export function readUsageBlock(block: unknown): ChatUsage | undefined {
  if (!isJsonObject(block)) return undefined;
  if (block.prompt_tokens === undefined) return readOpenAiUsage(block);
  return readCompletionUsage(block, { reasoningIsApart: true, cachedTokens: 0n });
}
