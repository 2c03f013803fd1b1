export type JsonObject = Record<string, unknown>;

/** Returns whether a parsed JSON value is an object, neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the objects of a list; none of any other value. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** More than any call can use: a larger count that a provider reports is an error. */
const maxCount = 10_000_000_000;

/** Returns a count that a provider reports, or undefined if it is no plausible whole number. */
export function readCount(value: unknown): bigint | undefined {
  if (typeof value !== "number" || !Number.isInteger(value)) return undefined;
  return value >= 0 && value <= maxCount ? BigInt(value) : undefined;
}
