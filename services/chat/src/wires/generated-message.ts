import { isJsonObject, type JsonObject } from "@tollgate/core/json";

/** Returns the text of thinking in a message or a stream's delta. */
export function generatedReasoning({ reasoning_content, reasoning }: JsonObject): string {
  const text = reasoning_content ?? reasoning;
  return typeof text === "string" ? text : "";
}

/** Returns the objects of a list; none of any other value. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
