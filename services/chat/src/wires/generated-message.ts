import type { JsonObject } from "@tollgate/core/json";

/** Returns the text of thinking in a message or a stream's delta. */
export function generatedReasoning({ reasoning_content, reasoning }: JsonObject): string {
  if (typeof reasoning_content === "string" && reasoning_content !== "") return reasoning_content;
  return typeof reasoning === "string" ? reasoning : "";
}
