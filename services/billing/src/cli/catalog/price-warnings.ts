import type { Catalog, Pricing, Provider, Slot } from "@tollgate/catalog/model";
import type { Price } from "@tollgate/core/money";
import type { ListPrice, ListPrices, Rates } from "./list-prices.ts";
import { perMillion, priceText } from "./price-text.ts";

/**
 * Returns one line for each price of a chat or embeddings slot that is below the provider's list
 * price, and for each dimension that the provider bills apart and the slot does not price. A slot is
 * compared if the data set knows the address of its provider, or the provider's name where the
 * address is in the environment.
 */
export function priceWarnings({ models }: Catalog, prices: ListPrices): string[] {
  return [...models.values()].flatMap(({ alias, routeType, chain }, index) => {
    if (routeType !== "chat" && routeType !== "embeddings") return [];
    return chain.flatMap((slot, position) => {
      const listPrice = find(prices, slot);
      if (listPrice === undefined) return [];
      const path = `models[${index}] (${alias}).chain[${position}]`;
      return problems(slot.pricing, listPrice).map((problem) => `${path}: ${problem}`);
    });
  });
}

function find(prices: ListPrices, { provider, upstreamModel }: Slot): ListPrice | undefined {
  const { baseUrl, name }: Provider = provider;
  if (baseUrl !== undefined) return prices.findByUrl(baseUrl, upstreamModel);
  return prices.find(name, upstreamModel);
}

function problems(pricing: Pricing, { provider, model, rates, tiers }: ListPrice): string[] {
  const name = `${provider}/${model}`;
  const own = pricesOf(pricing);
  const found = [...rates].flatMap(([dimension, list]): string[] => {
    const price = own.get(dimension);
    if (price === undefined) return unpriced(dimension, list, own, name);
    if (perMillion(price) >= perMillion(list)) return [];
    return [
      `${dimension} "${priceText(price)}" is below the list price of ${name}, "${priceText(list)}"`,
    ];
  });
  const longer = tiers.map(({ aboveInputTokens, rates: higher }) => {
    const input = higher.get("input");
    const price = input === undefined ? "" : `, "${priceText(input)}" for input`;
    return `${name} costs more with over ${aboveInputTokens} input tokens${price}`;
  });
  return [...found, ...longer];
}

/** The dimension whose price an unpriced one has. */
const parents: Readonly<Record<string, string>> = { cached_input: "input" };

function unpriced(dimension: string, list: Price, own: Rates, name: string): string[] {
  const parent = parents[dimension];
  const price = parent === undefined ? undefined : own.get(parent);
  if (price === undefined) return [];
  return [
    `${dimension} has no price, and costs "${priceText(price)}" as ${parent}; ` +
      `the list price of ${name} is "${priceText(list)}"`,
  ];
}

function pricesOf({ input, cached_input, output }: Pricing): Rates {
  const prices = Object.entries({ input, cached_input, output });
  return new Map(
    prices.flatMap(([dimension, price]): [string, Price][] =>
      price === undefined ? [] : [[dimension, price]],
    ),
  );
}
