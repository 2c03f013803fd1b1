import { getModelCapabilities } from "@ai-sdk/anthropic/internal";
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { budgetShares, type Reasoning } from "../ai-sdk/thinking-budget.ts";

/** Models before Claude 3.7 do not think. */
const withoutThinking = /claude-(instant|v?2(?=$|[-.:])|3(?!-7)(?=$|[-.]))/;

/** The least budget that Anthropic accepts. */
const leastBudget = 1_024;

export interface ThinkingOptions {
  maxOutputTokens?: number;
  reasoning?: Reasoning;
  thinking?: { type: "enabled"; budgetTokens: number };
}

/**
 * Returns the options for an effort. The thinking budget is part of the output limit, which the hold
 * covers. The library adds it to the limit, so it is subtracted here. A limit without room for the
 * least budget leaves no thinking, and so does a model that does not think.
 */
export function anthropicThinking(
  modelId: string,
  effort: unknown,
  maxOutputTokens: number | undefined,
): ThinkingOptions {
  const limits = maxOutputTokens === undefined ? {} : { maxOutputTokens };
  if (typeof effort !== "string" || withoutThinking.test(modelId)) return limits;
  const reasoning = effort as Reasoning;
  const model = getModelCapabilities(modelId);
  if (reasoning === "none" || model.supportsAdaptiveThinking) {
    return { ...limits, reasoning: reasoning === "minimal" ? ("low" as const) : reasoning };
  }
  const share = budgetShares[reasoning] ?? 0;
  // The library lowers a limit above the model's own, but not the budget.
  const most = model.isKnownModel ? model.maxOutputTokens : Number.POSITIVE_INFINITY;
  const limit = Math.min(maxOutputTokens ?? 2 * leastBudget, most);
  const budget = Math.max(leastBudget, Math.floor(limit * share));
  if (maxOutputTokens === undefined) {
    return { thinking: { type: "enabled", budgetTokens: budget } };
  }
  if (limit <= budget) return limits;
  const rest = { maxOutputTokens: limit - budget };
  return { ...rest, thinking: { type: "enabled", budgetTokens: budget } };
}

/** Whether a prompt ends with the results of calls that were made without thinking that Anthropic signed. */
export function isUnthoughtLoop(prompt: readonly LanguageModelV4Message[]): boolean {
  const index = prompt.findLastIndex(({ role }) => role === "assistant");
  const turn = prompt[index];
  if (prompt[index + 1]?.role !== "tool" || turn?.role !== "assistant") return false;
  return turn.content[0]?.type !== "reasoning";
}
