import { isJsonObject } from "@tollgate/core/json";

/** Returns Anthropic's explanation of a refusal, or null. */
export function refusalOf(metadata: unknown): string | null {
  const anthropic = isJsonObject(metadata) ? metadata.anthropic : undefined;
  const details = isJsonObject(anthropic) ? anthropic.stopDetails : undefined;
  if (!isJsonObject(details) || details.type !== "refusal") return null;
  return typeof details.explanation === "string" ? details.explanation : null;
}
