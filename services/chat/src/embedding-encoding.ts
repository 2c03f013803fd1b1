import { isJsonObject, type JsonObject } from "@tollgate/core/json";

/** How a vector is written: as numbers, or as base64 of 32-bit floats, the least byte first. */
export type EmbeddingEncoding = "float" | "base64";

const bytesPerFloat = 4;

/**
 * Returns the response with each vector in this encoding; undefined where no vector has the other one.
 * What is neither a vector nor its base64 stays as it is.
 */
export function encodedEmbeddings(
  response: JsonObject,
  encoding: EmbeddingEncoding,
): JsonObject | undefined {
  const { data } = response;
  if (!Array.isArray(data)) return undefined;
  let isChanged = false;
  const items = data.map((item: unknown) => {
    const embedding = isJsonObject(item) ? encodedVector(item.embedding, encoding) : undefined;
    if (embedding === undefined) return item;
    isChanged = true;
    return { ...(item as JsonObject), embedding };
  });
  return isChanged ? { ...response, data: items } : undefined;
}

/** Returns undefined for a vector that needs no change, and for what is none. */
function encodedVector(vector: unknown, encoding: EmbeddingEncoding) {
  if (encoding === "base64") return Array.isArray(vector) ? base64Of(vector) : undefined;
  return typeof vector === "string" ? floatsOf(vector) : undefined;
}

function base64Of(values: readonly unknown[]): string | undefined {
  const bytes = Buffer.allocUnsafe(bytesPerFloat * values.length);
  for (const [index, value] of values.entries()) {
    if (typeof value !== "number") return undefined;
    bytes.writeFloatLE(value, bytesPerFloat * index);
  }
  return bytes.toString("base64");
}

function floatsOf(text: string): number[] | undefined {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length % bytesPerFloat !== 0 || bytes.toString("base64") !== text) return undefined;
  return Array.from({ length: bytes.length / bytesPerFloat }, (_, index) =>
    bytes.readFloatLE(bytesPerFloat * index),
  );
}
