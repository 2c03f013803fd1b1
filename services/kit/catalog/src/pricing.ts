import type { Price } from "@tollgate/core/money";
import {
  outputDimensions,
  type Prices,
  type Pricing,
  promptDimensions,
  type TokenDimension,
} from "./model.ts";

/** The dimension whose price applies where a dimension has none. */
const parents: Readonly<Partial<Record<TokenDimension, TokenDimension>>> = {
  cached_input: "input",
  cache_write: "input",
  cache_write_1h: "cache_write",
  audio_input: "input",
  output: "input",
  reasoning: "output",
  audio_output: "output",
};

/** Returns the prices of a request with this many prompt tokens: those of its tier. */
export function pricesAt(pricing: Pricing, promptTokens: bigint): Prices {
  let prices: Prices = pricing;
  for (const tier of pricing.tiers ?? []) {
    if (promptTokens > tier.aboveInputTokens) prices = tier;
  }
  return prices;
}

/** Returns the price of a dimension: its own, else that of its parent. */
export function priceOf(prices: Prices, dimension: TokenDimension): Price {
  const own = prices[dimension];
  if (own !== undefined) return own;
  const parent = parents[dimension];
  return parent === undefined ? prices.input : priceOf(prices, parent);
}

/**
 * Returns the most that a token can cost in a request with at most this many prompt tokens, of the
 * prompt and of the output: the highest price of any dimension, in every tier that the request can
 * reach. The output has no price where the model has none.
 */
export function highestPrices(
  pricing: Pricing,
  promptTokens: bigint,
): { input: Price; output: Price | undefined } {
  let input = highest(pricing, promptDimensions, pricing.input);
  let output = pricing.output && highest(pricing, outputDimensions, pricing.output);
  for (const tier of pricing.tiers ?? []) {
    if (promptTokens <= tier.aboveInputTokens) break;
    input = highest(tier, promptDimensions, input);
    output = output && highest(tier, outputDimensions, output);
  }
  return { input, output };
}

function highest(prices: Prices, dimensions: readonly TokenDimension[], least: Price): Price {
  let most = least;
  for (const dimension of dimensions) {
    const price = prices[dimension];
    if (price !== undefined && price.picoUsd * most.per > most.picoUsd * price.per) most = price;
  }
  return most;
}
