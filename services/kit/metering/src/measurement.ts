import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { Price, PricedQuantity } from "@tollgate/core/money";

/** The part of a usage that has one price. */
export interface PricedLine {
  /** See the message UsageLine. */
  dimension: string;
  quantity: bigint;
  price: Price;
}

/** What a generation used, and its prices. */
export interface Measurement {
  quantity: bigint;
  /** The source of the quantity: `provider`, or the name of a fallback. */
  basis: string;
  lines: readonly PricedLine[];
  /** The same at what the provider charges. Undefined where the catalog does not say it. */
  providerLines?: readonly PricedQuantity[] | undefined;
  /** The provider's own usage block. */
  providerUsage?: JsonObject | undefined;
  tokens?: { prompt: bigint; completion: bigint; cachedPrompt: bigint };
  /** Recorded, not priced. */
  corpusSize?: bigint;
}

/** A number of units, and its source. */
export type UsedUnits = Pick<Measurement, "quantity" | "basis" | "corpusSize" | "providerUsage">;

/** Returns the measurement for a model with one kind of unit: its price is the input price. */
export function measureUnits(used: UsedUnits, { pricing, providerPricing }: Slot): Measurement {
  const { unitType, input } = pricing;
  const dimension = unitType === "tokens" ? "input" : unitType;
  const { quantity } = used;
  return {
    ...used,
    // Tokens that have one price, such as those of embeddings, are tokens of the prompt.
    ...(unitType === "tokens" && {
      tokens: { prompt: quantity, completion: 0n, cachedPrompt: 0n },
    }),
    lines: [{ dimension, quantity, price: input }],
    providerLines: providerPricing && [{ quantity, price: providerPricing.input }],
  };
}
