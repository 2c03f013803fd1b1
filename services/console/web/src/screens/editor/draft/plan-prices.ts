import { type DraftEntry, toEntry, withFields, without } from "./document.ts";
import { fieldText } from "./model-chain.ts";

/** The prices of one model in a plan. */
export interface PlanPrice {
  alias: string;
  pricing: DraftEntry;
}

/** Returns the models that a plan has prices for. */
export function planPricesOf({ models }: DraftEntry): PlanPrice[] {
  return Object.entries(toEntry(models)).map(([alias, pricing]) => ({
    alias,
    pricing: toEntry(pricing),
  }));
}

/**
 * Returns the models that can still get prices in a plan, by alias, each with the prices that it has now. A plan has
 * no prices for images that are priced by their size.
 */
export function pricedModelsOf(
  models: readonly DraftEntry[],
  priced: readonly PlanPrice[],
): PlanPrice[] {
  const taken = new Set(priced.map(({ alias }) => alias));
  return models.flatMap(({ alias, pricing, sizes }) => {
    const name = fieldText(alias);
    const isBySize = Object.keys(toEntry(sizes)).length > 0;
    return name === "" || isBySize || taken.has(name)
      ? []
      : [{ alias: name, pricing: toEntry(pricing) }];
  });
}

/** Returns the prices as a plan of the catalog has them: undefined for none. */
export function planModelsOf(prices: readonly PlanPrice[]): DraftEntry | undefined {
  if (prices.length === 0) return undefined;
  return Object.fromEntries(prices.map(({ alias, pricing }) => [alias, pricing]));
}

/** Returns the text with these prices of single models in a plan. Those that stay equal stay as they are written. */
export function withPlanPrices(
  text: string,
  plan: string,
  before: readonly PlanPrice[],
  after: readonly PlanPrice[],
): string {
  const path = ["plans", plan, "models"];
  if (after.length === 0) return before.length === 0 ? text : without(text, path);
  const kept = new Set(after.map(({ alias }) => alias));
  const known = new Map(before.map(({ alias, pricing }) => [alias, pricing]));
  let changed = text;
  for (const { alias } of before) {
    if (!kept.has(alias)) changed = without(changed, [...path, alias]);
  }
  for (const { alias, pricing } of after) {
    const present = known.get(alias);
    if (JSON.stringify(present) === JSON.stringify(pricing)) continue;
    const removed = Object.keys(present ?? {}).map((name) => [name, undefined]);
    const fields = { ...Object.fromEntries(removed), ...pricing };
    changed = withFields(changed, [...path, alias], fields);
  }
  return changed;
}
