/** Converts a reported cost in USD to nano-USD. */
export function nanoUsd(cost: number): bigint {
  return BigInt(Math.round(cost * 1e6)) * 1_000n;
}

/** Returns an amount as the console shows it: `$0.000003`, `$12.50`. Two decimals at the least. */
export function shownUsd(nano: bigint): string {
  const digits = nano.toString().padStart(10, "0");
  return `$${digits.slice(0, -9)}.${digits.slice(-9).replace(/0{1,7}$/, "")}`;
}

/** Returns the first amount that a text of the console shows, as nano-USD. */
export function readShownUsd(text: string): bigint {
  const [, dollars = "", decimals = ""] = /\$([\d,]+)\.(\d+)/.exec(text) ?? [];
  return BigInt(dollars.replaceAll(",", "") + decimals.padEnd(9, "0"));
}
