const picoPerNano = 1_000n;
const picoPerMicro = 1_000_000n;

/** A line of a request's price: a quantity, and the price of `per` units of it. */
export interface PriceLine {
  quantity: bigint;
  pricePicoUsd: bigint;
  per: bigint;
}

/** An amount in pico-USD. One that is not a whole number is truncated, and `isExact` is false. */
export interface PicoAmount {
  pico: bigint;
  isExact: boolean;
}

/** What the lines of a request sum to before rounding, and what the rounding added. */
export interface ExactCost {
  sum: PicoAmount;
  /** The cost less the sum. */
  difference: PicoAmount;
  /** Whether the difference is that of rounding up to a whole micro-USD. */
  isRounding: boolean;
}

/** Returns the exact amount of one line: quantity × price ÷ per. */
export function exactAmount({ quantity, pricePicoUsd, per }: PriceLine): PicoAmount {
  return divide(quantity * pricePicoUsd, per);
}

/** Returns how the lines of a request lead to its cost. */
export function exactCost(lines: readonly PriceLine[], costNano: bigint): ExactCost {
  const denominator = lines.reduce((product, { per }) => lcm(product, atLeastOne(per)), 1n);
  const numerator = lines.reduce(
    (sum, { quantity, pricePicoUsd, per }) =>
      sum + quantity * pricePicoUsd * (denominator / atLeastOne(per)),
    0n,
  );
  const missing = costNano * picoPerNano * denominator - numerator;
  return {
    sum: divide(numerator, denominator),
    difference: divide(missing, denominator),
    isRounding: missing >= 0n && missing < picoPerMicro * denominator,
  };
}

function divide(numerator: bigint, denominator: bigint): PicoAmount {
  const divisor = atLeastOne(denominator);
  return { pico: numerator / divisor, isExact: numerator % divisor === 0n };
}

function atLeastOne(value: bigint): bigint {
  return value > 0n ? value : 1n;
}

function lcm(left: bigint, right: bigint): bigint {
  return (left / gcd(left, right)) * right;
}

function gcd(left: bigint, right: bigint): bigint {
  return right === 0n ? left : gcd(right, left % right);
}
