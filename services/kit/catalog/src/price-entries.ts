import {
  outputDimensions,
  type Prices,
  type Pricing,
  promptDimensions,
  type Tier,
  type UnitType,
} from "./model.ts";
import type { PricingEntry, TierEntry, TokenPricingEntry } from "./price-schema.ts";

/** Returns the prices of an entry for a model that bills units of this type. */
export function toPricing(entry: PricingEntry, unitType: UnitType): Pricing {
  const per = BigInt(entry.per);
  if ("price" in entry) return { unitType, input: { picoUsd: entry.price, per } };
  if (!("output" in entry)) return { unitType, input: { picoUsd: entry.input, per } };
  const { tiers, tools } = entry;
  return {
    unitType,
    ...toPrices(entry, per),
    ...(tiers === undefined ? {} : { tiers: tiers.map((tier) => toTier(tier, per)) }),
    ...(tools.size === 0 ? {} : { tools }),
  };
}

function toTier(entry: TierEntry, per: bigint): Tier {
  return { aboveInputTokens: BigInt(entry.above_input_tokens), ...toPrices(entry, per) };
}

function toPrices(entry: TierEntry | TokenPricingEntry, per: bigint): Prices {
  const prices: { -readonly [Name in keyof Prices]: Prices[Name] } = {
    input: { picoUsd: entry.input, per },
  };
  for (const dimension of [...promptDimensions, ...outputDimensions]) {
    const picoUsd = entry[dimension];
    if (picoUsd !== undefined) prices[dimension] = { picoUsd, per };
  }
  return prices;
}
