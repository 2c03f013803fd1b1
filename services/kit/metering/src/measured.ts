import type { Slot } from "@tollgate/catalog/model";
import type { Price } from "@tollgate/core/money";

/** What a generation used. */
export interface Measured {
  quantity: bigint;
  /** Where the quantity comes from: `provider`, or the name of a fall-back. */
  basis: string;
  lines: readonly { quantity: bigint; price: Price }[];
  tokens?: { prompt: bigint; completion: bigint; cachedPrompt: bigint };
  /** Recorded, not priced. */
  corpusSize?: bigint;
}

/** The units used, and where their number is known from. */
export type Used = Pick<Measured, "quantity" | "basis" | "corpusSize">;

/** What is measured where one unit is billed: its price is the slot's input price. */
export function measuredUnits(used: Used, { pricing }: Slot): Measured {
  return { ...used, lines: [{ quantity: used.quantity, price: pricing.input }] };
}
