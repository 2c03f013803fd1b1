import type { Schema } from "./schema.ts";

/**
 * Returns the `nth` example of a number schema: 1 if its bounds allow that, else the nearest number
 * that they allow. Examples differ by one step, as far as the bounds allow.
 */
export function exampleNumber(schema: Schema, isInteger: boolean, nth: number): number {
  const step = stepOf(schema, isInteger);
  const range = rangeOf(schema);
  const first = nearestToOne(range, step);
  const spacing = step ?? 1;
  const value = first + nth * spacing;
  if (isWithin(range, value)) return value;
  const stepsUp = Math.floor((range.high - first) / spacing);
  const below = first - (nth - stepsUp) * spacing;
  return isWithin(range, below) ? below : first;
}

/** Returns whether the schema's bounds and step allow a number. */
export function allowsNumber(schema: Schema, isInteger: boolean, value: number): boolean {
  const step = stepOf(schema, isInteger);
  return isWithin(rangeOf(schema), value) && (!step || Number.isInteger(value / step));
}

/** A step such as 1.5 becomes a whole number when it is multiplied by a small one. */
const maxFactor = 1_000;

interface Range {
  readonly low: number;
  readonly high: number;
  readonly isLowExcluded: boolean;
  readonly isHighExcluded: boolean;
}

/** Returns the distance of allowed numbers; undefined if every number between the bounds is. */
function stepOf({ multipleOf }: Schema, isInteger: boolean): number | undefined {
  if (!isInteger || multipleOf === undefined) return isInteger ? 1 : multipleOf;
  const factors = Array.from({ length: maxFactor }, (_, index) => index + 1);
  const whole = factors.find((factor) => Number.isInteger(multipleOf * factor));
  return whole === undefined ? 1 : multipleOf * whole;
}

/** An exclusive bound is a number, or `true` in older drafts. */
function rangeOf(schema: Schema): Range {
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  const isLowExcluded = above === true || (typeof above === "number" && above >= minimum);
  const isHighExcluded = below === true || (typeof below === "number" && below <= maximum);
  return {
    low: typeof above === "number" ? Math.max(above, minimum) : minimum,
    high: typeof below === "number" ? Math.min(below, maximum) : maximum,
    isLowExcluded,
    isHighExcluded,
  };
}

function isWithin({ low, high, isLowExcluded, isHighExcluded }: Range, value: number): boolean {
  if (!Number.isFinite(value) || value < low || (isLowExcluded && value === low)) return false;
  return value < high || (!isHighExcluded && value === high);
}

function nearestToOne(range: Range, step: number | undefined): number {
  return step === undefined ? nearestNumber(range) : nearestMultiple(range, step);
}

function nearestNumber(range: Range): number {
  const { low, high } = range;
  const nearest = low >= 1 ? [low, low + 1] : [high, high - 1];
  const candidates = [1, ...nearest, (low + high) / 2];
  return candidates.find((value) => isWithin(range, value)) ?? 1;
}

function nearestMultiple(range: Range, step: number): number {
  const first = Math.max(1, Math.round(1 / step));
  const lowest = Math.ceil(range.low / step);
  const highest = Math.floor(range.high / step);
  const candidates = [first, lowest, lowest + 1, highest, highest - 1];
  const multiple = candidates.find((count) => isWithin(range, count * step)) ?? first;
  return multiple * step;
}
