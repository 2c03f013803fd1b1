import { z } from "zod";

/** Kinds of fields that more than one route takes. */

export const text = z.string({ error: "must be a string" });
export const alias = text.min(1, "must not be empty");
export const boolean = z.boolean({ error: "must be true or false" }).optional();

/** A text, or a non-empty array of texts. */
export const texts = z.union([text, z.array(text).min(1, "must not be empty")], {
  error: "must be a string or an array of strings",
});

export function numberFrom(min: number, max: number) {
  const error = `must be a number from ${min} to ${max}`;
  return z.number({ error }).min(min, error).max(max, error).optional();
}

export function integerFrom(min: number, max: number = Number.MAX_SAFE_INTEGER) {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const error = `must be a whole number ${range}`;
  return z.int({ error }).min(min, error).max(max, error).optional();
}

export function oneOf<const Values extends readonly [string, string, ...string[]]>(values: Values) {
  const error = `must be ${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
  return z.enum(values, { error }).optional();
}
