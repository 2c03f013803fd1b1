export type JsonObject = Record<string, unknown>;

/** Returns whether a parsed JSON value is an object, neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the objects of a list; none of any other value. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Parses a text as a JSON object. Returns undefined for any other text. */
export function jsonObjectOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** More than any call can use: a larger count that a provider reports is an error. */
const maxCount = 10_000_000_000;

const digits = /^\d{1,11}$/;

/**
 * Returns a count that a provider reports, or undefined if it is no plausible one. Some write it as text,
 * or as a fraction, which is rounded up.
 */
export function readCount(value: unknown): bigint | undefined {
  const count = typeof value === "string" && digits.test(value) ? Number(value) : value;
  if (typeof count !== "number" || !(count >= 0 && count <= maxCount)) return undefined;
  return BigInt(Math.ceil(count));
}
