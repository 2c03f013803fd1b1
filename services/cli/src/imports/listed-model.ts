import type { ListPrices } from "@tollgate/list-prices/list-prices";
import type { SuggestedModel } from "../catalog/entry-lines.ts";
import { suggestModels } from "../catalog/suggestion.ts";
import { UsageError } from "../help.ts";

/**
 * Returns the entry of a model of chat or embeddings with its list prices, or undefined where the data
 * set has none.
 */
export function findListedModel(
  provider: string | undefined,
  model: string,
  prices: ListPrices,
): SuggestedModel | undefined {
  if (provider === undefined) return undefined;
  try {
    return suggestModels([`${provider}/${model}`], prices)[0]?.entry;
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
