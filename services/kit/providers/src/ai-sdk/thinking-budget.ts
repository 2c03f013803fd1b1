import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";

export type Reasoning = NonNullable<LanguageModelV4CallOptions["reasoning"]>;

/** The part of the output limit that a model with a thinking budget may think with, by effort. */
export const budgetShares: { readonly [Effort in Reasoning]?: number } = {
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.9,
  max: 0.95,
};
