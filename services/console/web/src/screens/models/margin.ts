import type { CatalogPrice } from "@tollgate/proto/tollgate/v1/model";

/** How far a price is above the provider's list price, for people. */
export interface Margin {
  text: string;
  isLoss: boolean;
}

/** Returns the margin of a price; undefined where the list price is not known or zero. */
export function marginOf({ pricePicoUsd, listPricePicoUsd }: CatalogPrice): Margin | undefined {
  if (listPricePicoUsd === undefined || listPricePicoUsd === 0n) return undefined;
  const difference = pricePicoUsd - listPricePicoUsd;
  const tenths = (difference * 1_000n) / listPricePicoUsd;
  const absolute = tenths < 0n ? -tenths : tenths;
  const sign = difference < 0n ? "−" : "+";
  return {
    text: `${sign}${absolute / 10n}.${absolute % 10n} %`,
    isLoss: difference < 0n,
  };
}
