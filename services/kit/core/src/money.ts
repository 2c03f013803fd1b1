/**
 * Money is a whole number of nano-USD (10^-9 USD). Prices are finer, since a price a token can be
 * a fraction of a nano-USD: they are whole numbers of pico-USD (10^-12 USD).
 */
export type NanoUsd = bigint;

/** A thousand million USD: what fits every column and message, and what comes of adding it up. */
export const maxBalanceNanoUsd: NanoUsd = 10n ** 18n;

const nanoPerMicro = 1_000n;
const picoPerMicro = 1_000_000n;
const usdPattern = /^(0|[1-9]\d{0,11})(?:\.(\d{1,12}))?$/;

/** What `per` units cost. */
export interface Price {
  picoUsd: bigint;
  per: bigint;
}

/**
 * The retail charge for all lines together: summed exactly, then rounded up once to a whole
 * micro-USD, so that the six decimals a client is told are exactly what is charged.
 */
export function costOf(lines: readonly { quantity: bigint; price: Price }[]): NanoUsd {
  let numerator = 0n;
  let denominator = 1n;
  for (const { quantity, price } of lines) {
    if (quantity < 0n) throw new RangeError("a quantity is never negative");
    numerator = numerator * price.per + quantity * price.picoUsd * denominator;
    denominator *= price.per;
  }
  return ceilDivide(numerator, denominator * picoPerMicro) * nanoPerMicro;
}

/** The most whole units at `price` that `budget` pays for, before any rounding of the charge. */
export function unitsFor(budget: NanoUsd, price: Price): bigint {
  if (price.picoUsd === 0n) throw new RangeError("a free unit has no limit");
  if (budget <= 0n) return 0n;
  return (budget * 1_000n * price.per) / price.picoUsd;
}

/** Parses a decimal such as `"0.15"` into pico-USD; undefined when it is not one. */
export function parsePicoUsd(text: string): bigint | undefined {
  const match = usdPattern.exec(text);
  if (match === null) return undefined;
  const [, whole = "0", fraction = ""] = match;
  return BigInt(whole) * 10n ** 12n + BigInt(fraction.padEnd(12, "0"));
}

/** Parses an amount of USD with at most nine decimals; undefined when it is not one. */
export function parseUsd(text: string): NanoUsd | undefined {
  const pico = parsePicoUsd(text);
  if (pico === undefined || pico % 1_000n !== 0n) return undefined;
  return pico / 1_000n;
}

/**
 * Writes an amount in USD with exactly six decimals, the form of every cost on the wire. What is
 * finer than a micro-USD is cut off towards zero; charges have no such part.
 */
export function formatUsd(amount: NanoUsd): string {
  const sign = amount < 0n ? "-" : "";
  const micro = (amount < 0n ? -amount : amount) / nanoPerMicro;
  const digits = micro.toString().padStart(7, "0");
  return `${sign}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** A JSON number with exactly six decimals, kept as written by `JSON.stringify`. */
export function usdJson(amount: NanoUsd): unknown {
  return rawJson(formatUsd(amount));
}

/** A JSON number of whole nano-USD. */
export function nanoUsdJson(amount: NanoUsd): unknown {
  return rawJson(amount.toString());
}

export function minOf(left: NanoUsd, right: NanoUsd): NanoUsd {
  return left < right ? left : right;
}

function ceilDivide(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}

/** JSON.rawJSON is in every Node from 22 on, and not yet in TypeScript's library. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };
