import type { JsonObject } from "@tollgate/core/json";

/** The content of a message of a chat completion request: text, or parts of it. */
export type ChatContent = string | JsonObject[];

/** Returns parts as content: one text alone, without a mark, is a string. Providers refuse an empty list. */
export function chatContentOf(parts: JsonObject[]): ChatContent {
  const [first] = parts;
  if (first === undefined) return "";
  const isPlain = parts.length === 1 && first.type === "text" && first.cache_control === undefined;
  return isPlain ? String(first.text) : parts;
}
