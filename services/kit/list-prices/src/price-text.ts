import type { Price } from "@tollgate/core/money";

/**
 * Formats a price as the catalog has it by default, in USD with at least two decimals: of a call of
 * a tool, or of a million units of any other dimension.
 */
export function priceText(dimension: string, price: Price): string {
  return decimalUsd(catalogPicoUsd(dimension, price));
}

/** Returns the pico-USD of the units that a price is for in the catalog by default. */
export function catalogPicoUsd(dimension: string, { picoUsd, per }: Price): bigint {
  return (picoUsd * (dimension.startsWith("tool:") ? 1n : 1_000_000n)) / per;
}

/** Formats a price of the data set that the catalog has no dimension for: `video 12.00 an hour`. */
export function otherPriceText(key: string, { picoUsd }: Price): string {
  const [, name = key, unit = ""] = /^(.+)_(mtok|kcount|kpages|hours)$/.exec(key) ?? [];
  const per = units[unit];
  const words = name.replace("tool:", "").replaceAll("_", " ");
  return `${words} ${decimalUsd(picoUsd)}${per === undefined ? "" : ` ${per}`}`;
}

const units: Readonly<Record<string, string>> = {
  kcount: "a thousand",
  kpages: "a thousand pages",
  hours: "an hour",
};

function decimalUsd(picoUsd: bigint): string {
  const decimals = (picoUsd % 10n ** 12n).toString().padStart(12, "0");
  return `${picoUsd / 10n ** 12n}.${decimals.replace(/0{1,10}$/, "")}`;
}
