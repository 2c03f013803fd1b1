/**
 * Money is a bigint of nano-USD (10^-9 USD) and prices are bigints of pico-USD (10^-12 USD). They
 * are formatted digit by digit: no amount passes through a float.
 */
const nanoDigits = 9;
const picoDigits = 12;
const amountPattern = /^([+-]?)\$?(\d{1,3}(?:,\d{3})+|\d{1,10})?(?:\.(\d{1,9}))?$/;

/** An amount as it is shown: `-`, `$1,234.56` and `7891`. */
export interface MoneyParts {
  sign: "" | "-" | "+";
  /** The dollars and the cents. */
  main: string;
  /** The digits after the cents, without zeros at the end. */
  rest: string;
}

/** Splits an amount of nano-USD into the parts of its text, with at least `places` decimals. */
export function moneyParts(nano: bigint, showsPlus = false, places = 2): MoneyParts {
  const parts = partsOf(nano, nanoDigits, showsPlus);
  return { ...parts, rest: parts.rest.padEnd(places - 2, "0") };
}

/** Returns how many decimals show all of some amounts of nano-USD exactly: at least two. */
export function moneyPlaces(amounts: readonly bigint[]): number {
  return amounts.reduce((most, nano) => Math.max(most, 2 + moneyParts(nano).rest.length), 2);
}

/** Formats nano-USD exactly, with at least two decimals: `$1,234.50`, `$0.000123456`. */
export function formatMoney(nano: bigint, showsPlus = false): string {
  const { sign, main, rest } = moneyParts(nano, showsPlus);
  return sign + main + rest;
}

/** Formats pico-USD exactly, with at least two decimals. */
export function formatPico(pico: bigint): string {
  const { sign, main, rest } = partsOf(pico, picoDigits, false);
  return sign + main + rest;
}

/**
 * Formats nano-USD in at most some six characters, for an axis or a chart: `$1.2k`, `$0.03`.
 * Truncates: for reading a scale, not an amount.
 */
export function formatMoneyShort(nano: bigint): string {
  const sign = nano < 0n ? "-" : "";
  const dollars = Number(nano < 0n ? -nano : nano) / 1e9;
  if (dollars === 0) return "$0";
  if (dollars >= 1e6) return `${sign}$${trimZeros((dollars / 1e6).toFixed(1))}M`;
  if (dollars >= 1e4) return `${sign}$${trimZeros((dollars / 1e3).toFixed(1))}k`;
  if (dollars >= 1) return `${sign}$${trimZeros(dollars.toFixed(2))}`;
  return `${sign}$${trimZeros(dollars.toFixed(Math.min(9, 1 - Math.floor(Math.log10(dollars)))))}`;
}

/** Formats nano-USD as a plain decimal for a file: `1234.5`, `-0.000123456`. */
export function plainUsd(nano: bigint): string {
  const digits = (nano < 0n ? -nano : nano).toString().padStart(nanoDigits + 1, "0");
  const text = `${digits.slice(0, -nanoDigits)}.${digits.slice(-nanoDigits)}`;
  return (nano < 0n ? "-" : "") + trimZeros(text);
}

/** Rounds an average, which has no exact amount, down: to a cent from a dollar on, else to a micro-USD. */
export function roundAverage(nano: bigint): bigint {
  const step = nano >= 1_000_000_000n ? 10_000_000n : 1_000n;
  return nano - (nano % step);
}

/**
 * Reads an amount that a person typed, such as `12.50`, `$1,000` or `-0.000001`, as nano-USD.
 * Returns undefined for any other text.
 */
export function parseMoney(text: string): bigint | undefined {
  const match = amountPattern.exec(text.trim());
  if (match === null) return undefined;
  const [, sign = "", whole, fraction = ""] = match;
  if (whole === undefined && fraction === "") return undefined;
  const dollars = BigInt((whole ?? "0").replaceAll(",", ""));
  const nano = dollars * 10n ** BigInt(nanoDigits) + BigInt(fraction.padEnd(nanoDigits, "0"));
  return sign === "-" ? -nano : nano;
}

function partsOf(amount: bigint, places: number, showsPlus: boolean): MoneyParts {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(places + 1, "0");
  const whole = digits.slice(0, -places).replace(/\B(?=(\d{3})+$)/g, ",");
  const fraction = digits.slice(-places);
  const plus = showsPlus && amount > 0n ? "+" : "";
  return {
    sign: amount < 0n ? "-" : plus,
    main: `$${whole}.${fraction.slice(0, 2)}`,
    rest: fraction.slice(2).replace(/0+$/, ""),
  };
}

function trimZeros(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
