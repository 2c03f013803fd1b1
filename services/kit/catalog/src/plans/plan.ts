import type { Price } from "@tollgate/core/money";
import { withKeySlots } from "../key-pool.ts";
import {
  type Model,
  outputDimensions,
  type PricePlan,
  type Prices,
  type Pricing,
  promptDimensions,
} from "../model.ts";

export interface PlanPrices {
  /** Multiplies all list prices, in millionths. */
  factorMillionths: bigint;
  /** The prices of models, by alias, which replace those of the model and of all its slots. */
  pricingOf: ReadonlyMap<string, Pricing>;
}

const million = 1_000_000n;

/** Creates a plan. It prices a model at the first call of `modelOf`. */
export function createPlan(name: string, { factorMillionths, pricingOf }: PlanPrices): PricePlan {
  const made = new WeakMap<Model, Model>();

  function atPlan(model: Model): Model {
    const own = pricingOf.get(model.alias);
    const price = (pricing: Pricing) => own ?? multiplied(pricing, factorMillionths);
    const [first, ...others] = model.chain.map((slot) =>
      withKeySlots({ ...slot, pricing: price(slot.pricing) }),
    );
    if (first === undefined) return model;
    const sizes = model.imageSizes;
    return {
      ...model,
      plan: name,
      pricing: price(model.pricing),
      chain: [first, ...others],
      ...(sizes && {
        imageSizes: new Map([...sizes].map(([size, sized]) => [size, atPlan(sized)])),
      }),
    };
  }

  return {
    name,
    modelOf(model) {
      const known = made.get(model);
      if (known !== undefined) return known;
      const priced = atPlan(model);
      made.set(model, priced);
      return priced;
    },
  };
}

/** Returns prices times a factor, each rounded up to a whole pico-USD for its `per` units. */
function multiplied(pricing: Pricing, factorMillionths: bigint): Pricing {
  const multiply = ({ picoUsd, per }: Price): Price => ({
    picoUsd: (picoUsd * factorMillionths + million - 1n) / million,
    per,
  });
  const pricesOf = (prices: Prices): Prices => {
    const own: { -readonly [Name in keyof Prices]: Prices[Name] } = {
      input: multiply(prices.input),
    };
    for (const dimension of [...promptDimensions, ...outputDimensions]) {
      const price = prices[dimension];
      if (price !== undefined) own[dimension] = multiply(price);
    }
    return own;
  };
  const { tiers, tools, unitType } = pricing;
  return {
    unitType,
    ...pricesOf(pricing),
    ...(tiers && {
      tiers: tiers.map((tier) => ({ ...pricesOf(tier), aboveInputTokens: tier.aboveInputTokens })),
    }),
    ...(tools && { tools: new Map([...tools].map(([name, price]) => [name, multiply(price)])) }),
  };
}
