import type { JsonObject } from "@tollgate/core/json";

/** Returns the text of thinking in a message or a stream's delta. */
export function generatedReasoning({ reasoning_content, reasoning }: JsonObject): string {
  const text = reasoning_content ?? reasoning;
  return typeof text === "string" ? text : "";
}
