import type { Price } from "@tollgate/core/money";
import { formatPicoUsd } from "@tollgate/core/money";
import {
  type Catalog,
  type Model,
  outputDimensions,
  type Pricing,
  promptDimensions,
  type TokenDimension,
} from "./model.ts";
import { priceOf, pricesAt } from "./pricing.ts";

/**
 * Returns one warning, on one line, for each price below the `cost` of its slot, of the list prices and of
 * each plan.
 */
export function costWarnings({ models, plans }: Catalog): string[] {
  return [...models.values()].flatMap((model, index) => {
    const path = `models[${index}] (${model.alias})`;
    const ofPlans = [...plans.values()].flatMap((plan) =>
      modelProblems(plan.modelOf(model), ` in the plan ${plan.name}`),
    );
    return [...modelProblems(model, ""), ...ofPlans].map((problem) => `${path}.${problem}`);
  });
}

function modelProblems({ chain, imageSizes }: Model, where: string): string[] {
  const problems = chain.flatMap(({ pricing, providerPricing }, index) => {
    if (providerPricing === undefined) return [];
    return slotProblems(pricing, providerPricing).map(
      (problem) => `chain[${index}]: ${problem}${where}`,
    );
  });
  const ofSizes = [...(imageSizes ?? [])].flatMap(([size, sized]) =>
    sized.imageSizes === undefined && sized.pricing !== chain[0]?.pricing
      ? modelProblems(sized, ` for ${size}${where}`)
      : [],
  );
  return [...problems, ...ofSizes];
}

function slotProblems(pricing: Pricing, cost: Pricing): string[] {
  const dimensions = [...promptDimensions, ...outputDimensions];
  const thresholds = [pricing, cost].flatMap(({ tiers = [] }) =>
    tiers.map(({ aboveInputTokens }) => aboveInputTokens),
  );
  const lengths = [...new Set([0n, ...thresholds])].sort((one, other) => (one < other ? -1 : 1));
  const found = new Set<TokenDimension>();
  const problems = lengths.flatMap((above) => {
    const [prices, costs] = [pricesAt(pricing, above + 1n), pricesAt(cost, above + 1n)];
    return dimensions.flatMap((dimension) => {
      const isPriced = prices[dimension] !== undefined || costs[dimension] !== undefined;
      const [price, paid] = [priceOf(prices, dimension), priceOf(costs, dimension)];
      if (!isPriced || found.has(dimension) || !isBelow(price, paid)) return [];
      found.add(dimension);
      const long = above === 0n ? "" : `, of prompts of more than ${above} tokens`;
      return [below(dimension, price, paid) + long];
    });
  });
  const tools = [...(cost.tools ?? [])].flatMap(([name, paid]) => {
    const price = pricing.tools?.get(name) ?? { picoUsd: 0n, per: 1n };
    return isBelow(price, paid) ? [below(`tool:${name}`, price, paid)] : [];
  });
  return [...problems, ...tools];
}

function isBelow(price: Price, paid: Price): boolean {
  return price.picoUsd * paid.per < paid.picoUsd * price.per;
}

function below(dimension: string, price: Price, paid: Price): string {
  const per = price.per === paid.per ? "" : ` per ${price.per}`;
  const paidPer = per === "" ? "" : ` per ${paid.per}`;
  const sold = `"${formatPicoUsd(price.picoUsd)}"${per}`;
  return `${dimension} ${sold} is below its cost of "${formatPicoUsd(paid.picoUsd)}"${paidPer}`;
}
