import type { Price } from "@tollgate/core/money";

/** Formats a price as the catalog has it: the decimal USD of a million units, such as `0.075`. */
export function priceText(price: Price): string {
  const picoUsd = perMillion(price);
  const decimals = (picoUsd % 10n ** 12n)
    .toString()
    .padStart(12, "0")
    .replace(/0{1,10}$/, "");
  return `${picoUsd / 10n ** 12n}.${decimals}`;
}

/** Returns the pico-USD of a million units. */
export function perMillion({ picoUsd, per }: Price): bigint {
  return (picoUsd * 1_000_000n) / per;
}

/** Formats a price of the data set with its unit, such as `output 15.00`. */
export function usdText(dimension: string, price: Price): string {
  const [, name = dimension, unit = ""] = /^(.+)_(mtok|kcount|kpages|hours)$/.exec(dimension) ?? [];
  const amount = priceText({ picoUsd: price.picoUsd, per: 1_000_000n });
  const per = units[unit];
  return `${name.replaceAll("_", " ")} ${amount}${per === undefined ? "" : ` ${per}`}`;
}

const units: Readonly<Record<string, string>> = {
  kcount: "a thousand",
  kpages: "a thousand pages",
  hours: "an hour",
};
