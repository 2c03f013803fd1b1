import {
  type Catalog,
  outputDimensions,
  type Prices,
  promptDimensions,
  type Slot,
} from "@tollgate/catalog/model";
import { priceOf, pricesAt } from "@tollgate/catalog/pricing";
import type { Price } from "@tollgate/core/money";
import { type ListPrice, type ListPrices, type ListRates, listPriceOf } from "./list-prices.ts";
import { catalogPicoUsd, priceText } from "./price-text.ts";

/**
 * Returns one line for each price of a chat or embeddings slot that is below the provider's list
 * price, and for each dimension that the provider bills at a price of its own and the slot does not
 * price. A slot is compared if the data set knows the address of its provider, or the provider's
 * name where the address is in the environment.
 */
export function priceWarnings({ models }: Catalog, prices: ListPrices): string[] {
  return [...models.values()].flatMap(({ alias, routeType, chain }, index) => {
    if (routeType !== "chat" && routeType !== "embeddings") return [];
    return chain.flatMap((slot, position) => {
      const listPrice = listPriceOf(slot, prices);
      if (listPrice === undefined) return [];
      const path = `models[${index}] (${alias}).chain[${position}]`;
      const problems =
        routeType === "chat" ? chatProblems(slot, listPrice) : inputProblems(slot, listPrice);
      return problems.map((problem) => `${path}: ${problem}`);
    });
  });
}

/** An embeddings model has one price, that of its input. */
function inputProblems({ pricing }: Slot, { rates, ...listPrice }: ListPrice): string[] {
  const list = rates.get("input");
  return list === undefined ? [] : problemOf("input", pricing.input, list, nameOf(listPrice));
}

function chatProblems({ pricing }: Slot, listPrice: ListPrice): string[] {
  const name = nameOf(listPrice);
  const tools = [...listPrice.rates].flatMap(([dimension, list]) => {
    if (!dimension.startsWith("tool:")) return [];
    const own = pricing.tools?.get(dimension.slice("tool:".length));
    if (own !== undefined) return problemOf(dimension, own, list, name);
    return [`${dimension} has no price, and costs nothing; ${listed(dimension, list, name)}`];
  });
  const tiers = listPrice.tiers.flatMap(({ aboveInputTokens, rates }) => {
    const own = pricesAt(pricing, BigInt(aboveInputTokens) + 1n);
    const problems = tokenProblems(
      own,
      rates,
      `${name} with more than ${aboveInputTokens} input tokens`,
    );
    if (own !== pricing || problems.length === 0) return problems;
    const input = rates.get("input");
    const cost = input === undefined ? "" : `: ${listed("input", input, name)} for input`;
    return [`prompts of more than ${aboveInputTokens} tokens cost more, and have no tier${cost}`];
  });
  return [...tokenProblems(pricing, listPrice.rates, name), ...tools, ...tiers];
}

function nameOf({ provider, model }: Pick<ListPrice, "provider" | "model">): string {
  return `${provider}/${model}`;
}

function tokenProblems(prices: Prices, rates: ListRates, name: string): string[] {
  return [...promptDimensions, ...outputDimensions].flatMap((dimension) => {
    const list = rates.get(dimension);
    if (list === undefined) return [];
    const own = prices[dimension];
    if (own !== undefined) return problemOf(dimension, own, list, name);
    const inherited = priceOf(prices, dimension);
    if (catalogPicoUsd(dimension, inherited) === catalogPicoUsd(dimension, list)) return [];
    const cost = priceText(dimension, inherited);
    return [`${dimension} has no price, and costs "${cost}"; ${listed(dimension, list, name)}`];
  });
}

function problemOf(dimension: string, own: Price, list: Price, name: string): string[] {
  if (catalogPicoUsd(dimension, own) >= catalogPicoUsd(dimension, list)) return [];
  const price = priceText(dimension, own);
  return [`${dimension} "${price}" is below the list price: ${listed(dimension, list, name)}`];
}

function listed(dimension: string, list: Price, name: string): string {
  return `${name} costs "${priceText(dimension, list)}"`;
}
