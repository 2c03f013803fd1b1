import type { Slot } from "@tollgate/catalog/model";
import type { Price } from "@tollgate/core/money";

/** What a generation used, and its prices. */
export interface Measurement {
  quantity: bigint;
  /** The source of the quantity: `provider`, or the name of a fallback. */
  basis: string;
  lines: readonly { quantity: bigint; price: Price }[];
  tokens?: { prompt: bigint; completion: bigint; cachedPrompt: bigint };
  /** Recorded, not priced. */
  corpusSize?: bigint;
}

/** A number of units, and its source. */
export type UsedUnits = Pick<Measurement, "quantity" | "basis" | "corpusSize">;

/** Returns the measurement for a model with one kind of unit: its price is the input price. */
export function measureUnits(used: UsedUnits, { pricing }: Slot): Measurement {
  return { ...used, lines: [{ quantity: used.quantity, price: pricing.input }] };
}
