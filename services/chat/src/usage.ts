import type { Slot } from "@tollgate/catalog/model";
import { isJsonObject, type JsonObject, readCount } from "@tollgate/core/json";
import { type NanoUsd, usdJson } from "@tollgate/core/money";
import type { Measurement, PricedLine } from "@tollgate/metering/measurement";

/** The usage of a chat generation, and the basis on which it was measured. */
export interface ChatUsage {
  promptTokens: bigint;
  completionTokens: bigint;
  cachedTokens: bigint;
  basis: "provider" | "approx4" | "delivered_approx4";
  /** The provider's detail blocks, sent to the client unchanged. */
  details: Record<string, unknown>;
  /** The provider's block; undefined where the usage is approximate. */
  block?: JsonObject;
}

/** Reads a provider's usage block. Returns undefined when it cannot be billed from. */
export function readUsage(block: unknown): ChatUsage | undefined {
  if (!isJsonObject(block)) return undefined;
  const promptTokens = readCount(block.prompt_tokens);
  const completionTokens = readCount(block.completion_tokens);
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  const details: Record<string, unknown> = {};
  for (const name of ["prompt_tokens_details", "completion_tokens_details"]) {
    if (isJsonObject(block[name])) details[name] = block[name];
  }
  const promptDetails = isJsonObject(block.prompt_tokens_details)
    ? block.prompt_tokens_details
    : {};
  const cached = readCount(promptDetails.cached_tokens) ?? 0n;
  const cachedTokens = cached < promptTokens ? cached : promptTokens;
  return { promptTokens, completionTokens, cachedTokens, basis: "provider", details, block };
}

/** Approximates usage by characters, four per token, where the provider reports none. */
export function approximateUsage(
  promptCharacters: bigint,
  completionCharacters: number,
  basis: "approx4" | "delivered_approx4",
): ChatUsage {
  return {
    promptTokens: approximateTokens(promptCharacters),
    completionTokens: approximateTokens(BigInt(completionCharacters)),
    cachedTokens: 0n,
    basis,
    details: {},
  };
}

/** Returns a quarter of the characters, rounded up. */
export function approximateTokens(characters: bigint): bigint {
  return (characters + 3n) / 4n;
}

export function totalTokens(usage: ChatUsage): bigint {
  return usage.promptTokens + usage.completionTokens;
}

/** Prices the usage by line: cached prompt tokens at their own price where there is one. */
export function measure(usage: ChatUsage, slot: Slot): Measurement {
  const { input, cachedInput, output } = slot.pricing;
  const { cachedTokens: cached } = usage;
  const lines: PricedLine[] = [
    { dimension: "input", quantity: usage.promptTokens - cached, price: input },
    { dimension: "output", quantity: usage.completionTokens, price: output ?? input },
  ];
  if (cached > 0n) {
    lines.push({ dimension: "cached_input", quantity: cached, price: cachedInput ?? input });
  }
  return {
    quantity: totalTokens(usage),
    basis: usage.basis,
    lines,
    providerUsage: usage.block,
    tokens: {
      prompt: usage.promptTokens,
      completion: usage.completionTokens,
      cachedPrompt: usage.cachedTokens,
    },
  };
}

/** Returns the `usage` block of a response, its cost with six decimals. */
export function usageBlock(usage: ChatUsage, cost: NanoUsd): Record<string, unknown> {
  return {
    prompt_tokens: Number(usage.promptTokens),
    completion_tokens: Number(usage.completionTokens),
    total_tokens: Number(totalTokens(usage)),
    ...usage.details,
    cost: usdJson(cost),
  };
}
