import type { GoogleLanguageModelOptions } from "@ai-sdk/google";
import { getGoogleLanguageModelEntry } from "@ai-sdk/google/internal";
import { budgetShares, type Reasoning } from "../ai-sdk/thinking-budget.ts";
import { notSupported } from "../not-supported.ts";

export type ThinkingConfig = NonNullable<GoogleLanguageModelOptions["thinkingConfig"]>;

/**
 * The least budget, that of Gemini 2.5 Flash-Lite:
 * https://ai.google.dev/gemini-api/docs/thinking#set-budget
 */
const leastBudget = 512;

/** Models that do not think: https://ai.google.dev/gemini-api/docs/thinking#supported-models */
const withoutThinking = /(^|[/.])(gemini-(1|2\.0|2\.5-flash-image)|gemma-[1-3]|learnlm)/;

/**
 * Returns the thinking of a model for an effort: a level since Gemini 3, before that a budget, which is
 * a part of the output limit. Undefined where the request has no effort, or
 * the model does not think. Throws `invalid_param` for an
 * effort that the model does not have.
 */
export function googleThinking(
  modelId: string,
  effort: unknown,
  outputLimit: number | undefined,
): ThinkingConfig | undefined {
  if (typeof effort !== "string" || withoutThinking.test(modelId)) return undefined;
  const { efforts, minBudget, maxBudget } =
    getGoogleLanguageModelEntry(modelId).capabilities.language.reasoning;
  if (Array.isArray(efforts)) {
    if (!efforts.includes(effort as Reasoning)) throw effortNotSupported(efforts);
    return { thinkingLevel: effort, includeThoughts: true } as ThinkingConfig;
  }
  if (effort === "none" && minBudget > 0) throw effortNotSupported(Object.keys(budgetShares));
  const budget = budgetOf(effort as Reasoning, outputLimit, minBudget, maxBudget);
  return { thinkingBudget: budget, ...(budget > 0 ? { includeThoughts: true } : {}) };
}

/** A limit without room for the least budget leaves as little thinking as the model is able to. */
function budgetOf(
  effort: Reasoning,
  outputLimit: number | undefined,
  minBudget: number,
  maxBudget: number,
): number {
  const share = budgetShares[effort];
  if (share === undefined) return minBudget;
  const part = Math.floor((outputLimit ?? maxBudget) * share);
  const budget = Math.min(maxBudget, Math.max(leastBudget, part));
  return outputLimit !== undefined && outputLimit <= budget ? minBudget : budget;
}

function effortNotSupported(efforts: readonly string[]) {
  return notSupported("reasoning_effort", `use ${efforts.map((one) => `"${one}"`).join(", ")}`);
}
