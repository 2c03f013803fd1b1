import { getModelCapabilities } from "@ai-sdk/anthropic/internal";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { Reasoning } from "../ai-sdk/thinking-budget.ts";
import { anthropicThinking } from "../anthropic/thinking.ts";
import { notSupported } from "../not-supported.ts";
import { isClaude } from "./families.ts";

/** The package's options of thinking: a budget of tokens, or an effort. */
export type ReasoningConfig =
  | { type: "enabled"; budgetTokens: number }
  | { type: "adaptive"; maxReasoningEffort: string };

/** The efforts of models with adaptive thinking; `minimal` and `xhigh` have none of their own. */
const adaptiveEfforts: { readonly [Effort in Reasoning]?: string } = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "max",
  max: "max",
};

export interface BedrockThinking {
  limits: Pick<LanguageModelV4CallOptions, "maxOutputTokens" | "reasoning">;
  /** The thinking of Claude, where it thinks. */
  config: ReasoningConfig | undefined;
}

/**
 * Returns the options for an effort: none for a model that has no efforts. Claude thinks as with its
 * own API; for other models the package translates the effort. Throws `invalid_param` for an effort that
 * the model does not have.
 */
export function bedrockThinking(
  modelId: string,
  effort: unknown,
  maxOutputTokens: number | undefined,
): BedrockThinking {
  const limits = maxOutputTokens === undefined ? {} : { maxOutputTokens };
  if (typeof effort !== "string") return { limits, config: undefined };
  if (!isClaude(modelId)) {
    if (!hasEfforts(modelId)) return { limits, config: undefined };
    const isAlwaysOn = effort === "none" && modelId.includes("openai.");
    if (isAlwaysOn || effort === "max") throw notSupported("reasoning_effort");
    return { limits: { ...limits, reasoning: effort as Reasoning }, config: undefined };
  }
  if (effort === "none" && getModelCapabilities(modelId).rejectsThinkingDisabled) {
    throw notSupported("reasoning_effort");
  }
  const { thinking, reasoning, ...rest } = anthropicThinking(modelId, effort, maxOutputTokens);
  if (thinking !== undefined) return { limits: rest, config: thinking };
  const maxReasoningEffort = reasoning === undefined ? undefined : adaptiveEfforts[reasoning];
  if (maxReasoningEffort === undefined) return { limits: rest, config: undefined };
  return { limits: rest, config: { type: "adaptive", maxReasoningEffort } };
}

/** Whether a model other than Claude has efforts. */
function hasEfforts(modelId: string): boolean {
  return modelId.includes("amazon.nova-2-lite-v1:0") || /^(?:[^.]+\.)?openai\./.test(modelId);
}
