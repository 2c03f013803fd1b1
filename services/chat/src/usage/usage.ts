import { outputDimensions, type Pricing, type Slot } from "@tollgate/catalog/model";
import { priceOf, pricesAt } from "@tollgate/catalog/pricing";
import { costOf, minOf, type NanoUsd, type Price, unitsFor, usdJson } from "@tollgate/core/money";
import type { Measurement, PricedLine } from "@tollgate/metering/measurement";
import type { ChatUsage, UsedTokens } from "@tollgate/providers/chat-usage";

/** Returns usage that the gateway has counted itself, of text and images and of audio in the prompt. */
export function countedUsage(
  inputTokens: bigint,
  completionTokens: bigint,
  audioTokens: bigint = 0n,
): ChatUsage {
  return {
    promptTokens: inputTokens + audioTokens,
    completionTokens,
    cachedTokens: 0n,
    tokens: [
      { dimension: "input", quantity: inputTokens },
      ...(audioTokens === 0n ? [] : [{ dimension: "audio_input" as const, quantity: audioTokens }]),
      { dimension: "output", quantity: completionTokens },
    ],
    reasoningTokens: 0n,
    toolCalls: [],
    basis: "tokenized",
    details: {},
  };
}

/** Returns usage that a provider has reported, with further tokens of output that it has not. */
export function withCounted(reported: ChatUsage, outputTokens: bigint): ChatUsage {
  const tokens = reported.tokens.map((used) =>
    used.dimension === "output" ? { ...used, quantity: used.quantity + outputTokens } : used,
  );
  const completionTokens = reported.completionTokens + outputTokens;
  return { ...reported, completionTokens, tokens, basis: "tokenized" };
}

/** Returns usage with so much more output that it costs what is held, where it costs less. */
export function atCost(usage: ChatUsage, slot: Slot, held: NanoUsd): ChatUsage {
  const rest = held - costOf(measure(usage, slot).lines);
  const price = priceOf(pricesAt(slot.pricing, usage.promptTokens), "output");
  if (rest <= 0n || price.picoUsd === 0n) return usage;
  return withCounted(usage, unitsFor(rest, price));
}

/** Returns a quarter of the characters, rounded up. */
export function approximateTokens(characters: bigint): bigint {
  return (characters + 3n) / 4n;
}

export function totalTokens(usage: ChatUsage): bigint {
  return usage.promptTokens + usage.completionTokens;
}

/**
 * Prices the usage, at the prices for prompts of its length. Its lines have at most `billedOutput`
 * tokens of output, and its quantity has all; the provider charges all.
 */
export function measure(
  usage: ChatUsage,
  { pricing, providerPricing }: Pick<Slot, "pricing" | "providerPricing">,
  billedOutput = usage.completionTokens,
): Measurement {
  return {
    quantity: totalTokens(usage),
    basis: usage.basis,
    lines: linesOf(usage, pricing, billedOutput),
    providerLines: providerPricing && linesOf(usage, providerPricing, usage.completionTokens),
    providerUsage: usage.block,
    tokens: {
      prompt: usage.promptTokens,
      completion: usage.completionTokens,
      cachedPrompt: usage.cachedTokens,
    },
  };
}

function linesOf(usage: ChatUsage, pricing: Pricing, billedOutput: bigint): PricedLine[] {
  const prices = pricesAt(pricing, usage.promptTokens);
  const lines: PricedLine[] = [];
  for (const { dimension, quantity } of withinOutput(usage, billedOutput)) {
    const isSplit = dimension === "output" && prices.reasoning !== undefined;
    const reasoning = isSplit ? minOf(usage.reasoningTokens, quantity) : 0n;
    const price = priceOf(prices, dimension);
    lines.push({ dimension, quantity: quantity - reasoning, price });
    if (reasoning === 0n) continue;
    lines.push({
      dimension: "reasoning",
      quantity: reasoning,
      price: priceOf(prices, "reasoning"),
    });
  }
  for (const { tool, quantity } of usage.toolCalls) {
    if (quantity === 0n) continue;
    lines.push({ dimension: `tool:${tool}`, quantity, price: pricing.tools?.get(tool) ?? free });
  }
  return lines;
}

/** Returns the tokens by dimension, those of the completion reduced to `most` in their order. */
function withinOutput({ tokens, completionTokens }: ChatUsage, most: bigint) {
  let excess = completionTokens - most;
  if (excess <= 0n) return tokens;
  return tokens.map((used) => {
    if (!isOutput(used)) return used;
    const removed = minOf(excess, used.quantity);
    excess -= removed;
    return { ...used, quantity: used.quantity - removed };
  });
}

function isOutput({ dimension }: UsedTokens): boolean {
  return outputDimensions.some((output) => output === dimension);
}

/** The price of a tool that the catalog does not price. */
const free: Price = { picoUsd: 0n, per: 1n };

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
