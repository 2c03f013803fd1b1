export type JsonObject = Record<string, unknown>;

/** Whether a parsed value is an object, and neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** More than any call uses: a provider that reports it is not believed. */
const maxCount = 10_000_000_000;

/** A count that a provider reports; undefined when it is no believable whole number. */
export function readCount(value: unknown): bigint | undefined {
  if (typeof value !== "number" || !Number.isInteger(value)) return undefined;
  return value >= 0 && value <= maxCount ? BigInt(value) : undefined;
}
