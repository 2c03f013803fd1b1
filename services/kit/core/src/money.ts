/**
 * Money is a whole number of nano-USD (10^-9 USD). Prices are whole numbers of pico-USD (10^-12
 * USD), since the price of one token can be a fraction of a nano-USD. A cost is what usage is priced
 * at; a charge is what a wallet pays of it.
 */
export type NanoUsd = bigint;

/** One billion USD. Balances up to this, and their sums, fit every column and message. */
export const maxBalanceNanoUsd: NanoUsd = 10n ** 18n;

const nanoPerMicro = 1_000n;
const picoPerNano = 1_000n;
const picoPerMicro = 1_000_000n;
const usdPattern = /^(0|[1-9]\d{0,11})(?:\.(\d{1,12}))?$/;

/** The price of `per` units. */
export interface Price {
  picoUsd: bigint;
  per: bigint;
}

/** Units with one price. */
export interface PricedQuantity {
  quantity: bigint;
  price: Price;
}

/**
 * Returns the cost of all lines together, at their retail prices. The sum is exact and rounded up
 * once, to a whole micro-USD, so that the six decimals that a client sees are exactly what is
 * charged. Throws a RangeError for a negative quantity.
 */
export function costOf(lines: readonly PricedQuantity[]): NanoUsd {
  const { numerator, denominator } = sumPico(lines);
  return ceilDivide(numerator, denominator * picoPerMicro) * nanoPerMicro;
}

/**
 * Returns the exact cost, rounded up to a whole nano-USD. It is for provider costs: clients are not charged
 * them, and the sum of many requests would grow if each were rounded up to a micro-USD.
 */
export function nanoCostOf(lines: readonly PricedQuantity[]): NanoUsd {
  const { numerator, denominator } = sumPico(lines);
  return ceilDivide(numerator, denominator * picoPerNano);
}

function sumPico(lines: readonly PricedQuantity[]): { numerator: bigint; denominator: bigint } {
  let numerator = 0n;
  let denominator = 1n;
  for (const { quantity, price } of lines) {
    if (quantity < 0n) throw new RangeError("a quantity must not be negative");
    const pico = quantity * price.picoUsd;
    // The tokens of a request are all priced per million.
    if (price.per === denominator) {
      numerator += pico;
      continue;
    }
    numerator = numerator * price.per + pico * denominator;
    denominator *= price.per;
  }
  return { numerator, denominator };
}

/** A cost, and what each of its lines contributes. The amounts sum to the cost. */
export interface DividedCost {
  cost: NanoUsd;
  amounts: readonly NanoUsd[];
}

/**
 * Returns the cost of all lines together, at most `limit`, and the amount of each line. An amount
 * is rounded down to a whole nano-USD. The rest of the cost, which is rounded up, is added to the
 * amount of the most expensive line, so that a line that costs nothing stays at zero.
 */
export function divideCost(lines: readonly PricedQuantity[], limit: NanoUsd): DividedCost {
  const cost = minOf(costOf(lines), limit);
  let rest = cost;
  let mostExpensive = 0;
  let most = -1n;
  const amounts = lines.map(({ quantity, price }, index) => {
    const exactPico = quantity * price.picoUsd;
    const divisor = price.per * 1_000n;
    const whole = exactPico / divisor;
    const atMost = whole * divisor === exactPico ? whole : whole + 1n;
    if (atMost > most) {
      mostExpensive = index;
      most = atMost;
    }
    const amount = minOf(whole, rest);
    rest -= amount;
    return amount;
  });
  if (rest > 0n) amounts[mostExpensive] = (amounts[mostExpensive] ?? 0n) + rest;
  return { cost, amounts };
}

/**
 * Returns how many whole units at `price` the budget pays for, before any rounding of the cost.
 * Throws a RangeError for a price of zero.
 */
export function unitsFor(budget: NanoUsd, price: Price): bigint {
  if (price.picoUsd === 0n) throw new RangeError("a free unit has no limit");
  if (budget <= 0n) return 0n;
  return (budget * 1_000n * price.per) / price.picoUsd;
}

/** Parses a USD decimal such as `"0.15"` into pico-USD. Returns undefined for any other text. */
export function parsePicoUsd(text: string): bigint | undefined {
  const match = usdPattern.exec(text);
  if (match === null) return undefined;
  const [, whole = "0", fraction = ""] = match;
  return BigInt(whole) * 10n ** 12n + BigInt(fraction.padEnd(12, "0"));
}

/** Parses a USD decimal of at most nine places. Returns undefined for any other text. */
export function parseUsd(text: string): NanoUsd | undefined {
  const pico = parsePicoUsd(text);
  if (pico === undefined || pico % 1_000n !== 0n) return undefined;
  return pico / 1_000n;
}

/**
 * Formats an amount in USD with exactly six decimals, the form of every cost on the wire. Rounds
 * towards zero; a cost is a whole number of micro-USD and loses nothing.
 */
export function formatUsd(amount: NanoUsd): string {
  const sign = amount < 0n ? "-" : "";
  const micro = (amount < 0n ? -amount : amount) / nanoPerMicro;
  const digits = micro.toString().padStart(7, "0");
  return `${sign}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** Formats a price in USD as `parsePicoUsd` reads it, without zeros at the end. */
export function formatPicoUsd(picoUsd: bigint): string {
  const digits = picoUsd.toString().padStart(13, "0");
  return `${digits.slice(0, -12)}.${digits.slice(-12)}`.replace(/\.?0+$/, "");
}

/** Returns a JSON number with exactly six decimals, which `JSON.stringify` writes unchanged. */
export function usdJson(amount: NanoUsd): unknown {
  return rawJson(formatUsd(amount));
}

/** Returns a JSON number of USD with nine decimals. The amount must not be negative. */
export function exactUsdJson(amount: NanoUsd): unknown {
  const digits = amount.toString().padStart(10, "0");
  return rawJson(`${digits.slice(0, -9)}.${digits.slice(-9)}`);
}

/** Returns a JSON number of whole nano-USD. */
export function nanoUsdJson(amount: NanoUsd): unknown {
  return rawJson(amount.toString());
}

export function minOf(left: NanoUsd, right: NanoUsd): NanoUsd {
  return left < right ? left : right;
}

export function maxOf(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}

function ceilDivide(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}

/** Node has JSON.rawJSON from version 22 on; TypeScript's library does not declare it yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };
