import { z } from "zod";

/** Fields that more than one route has. */

export const text = z.string({ error: "must be a string" });
export const alias = text
  .min(1, "must not be empty")
  .describe("The alias of a model that this route serves. See `GET /v1/models`.");
export const boolean = z.boolean({ error: "must be true or false" }).optional();

/**
 * A string, or a non-empty array of strings. Checked in one pass, because the array may have
 * millions of elements. The metadata repeats the rule as JSON Schema, which cannot be derived from
 * code.
 */
export const texts = z
  .custom<string | string[]>()
  .superRefine((value: unknown, context) => {
    if (typeof value === "string") return;
    const addIssue = (message: string, path: number[] = []) =>
      context.addIssue({ code: "custom", message, path });
    if (value === undefined || value === null) return addIssue("is required");
    if (!Array.isArray(value)) return addIssue("must be a string or an array of strings");
    if (value.length === 0) return addIssue("must not be empty");
    const wrong = value.findIndex((item) => typeof item !== "string");
    if (wrong >= 0) addIssue("must be a string", [wrong]);
  })
  .meta({
    anyOf: [{ type: "string" }, { type: "array", items: { type: "string" }, minItems: 1 }],
  });

export function numberFrom(min: number, max: number) {
  const error = `must be a number from ${min} to ${max}`;
  return z.number({ error }).min(min, error).max(max, error).optional();
}

export function integerFrom(min: number, max: number = Number.MAX_SAFE_INTEGER) {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const error = `must be an integer ${range}`;
  return z.int({ error }).min(min, error).max(max, error).optional();
}

/** A field that the route refuses. `problem` says why, and what to send instead. */
export function refused(problem: string) {
  return z
    .never({ error: `is not supported: ${problem}` })
    .describe("Not supported.")
    .optional();
}

export function oneOf<const Values extends readonly [string, string, ...string[]]>(values: Values) {
  return z.enum(values).optional();
}
