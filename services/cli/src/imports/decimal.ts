/**
 * Returns a number's shortest decimal digits with the point moved by so many places to the right, as a
 * text without an exponent: `shiftPoint(1.5e-7, 6)` is `0.15`. No digit is rounded. Throws a RangeError
 * for what is no finite number of at least 0.
 */
export function shiftPoint(value: number | string, places: number): string {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(String(value)) ?? [];
  if (whole === "") throw new RangeError(`${value} is not a number of at least 0`);
  const digits = whole + fraction;
  const point = whole.length + Number(exponent) + places;
  const padded = point <= 0 ? "0".repeat(1 - point) + digits : digits.padEnd(point, "0");
  const at = Math.max(point, 1);
  const text = `${padded.slice(0, at)}.${padded.slice(at)}`;
  return text.replace(/^0+(?=\d)/, "").replace(/\.?0*$/, "");
}

/** Multiplies two decimal numbers exactly. Throws a RangeError as `shiftPoint` does. */
export function multiply(left: number | string, right: number | string): string {
  const [a, b] = [toScaled(left), toScaled(right)];
  const digits = (a.digits * b.digits).toString();
  return shiftPoint(digits, -(a.places + b.places));
}

function toScaled(value: number | string): { digits: bigint; places: number } {
  const text = shiftPoint(value, 0);
  const [whole = "", fraction = ""] = text.split(".");
  return { digits: BigInt(whole + fraction), places: fraction.length };
}
