import { codePoints } from "./code-points.ts";

/** How long texts are together. */
export interface TextSize {
  /** In UTF-8. */
  bytes: number;
  /** Of Unicode. */
  characters: number;
}

export function addText(text: string, size: TextSize): void {
  const bytes = Buffer.byteLength(text);
  size.bytes += bytes;
  // Of plain ASCII, the two are the same, and looked at once.
  size.characters += bytes === text.length ? bytes : codePoints(text);
}

/** By these a message tells what it is, and its calls which is which; nothing is said there. */
const labels: ReadonlySet<string> = new Set(["role", "type", "id", "tool_call_id"]);

/**
 * Adds all text of a chat message, or of a part of one: what a model reads of it, in a request or
 * out of a conversation's turns. Labels count in bytes alone, which are to bound what a provider
 * counts; it may show them to the model. An image's URL or bytes are no text.
 */
export function addMessageText(value: unknown, size: TextSize): void {
  if (typeof value === "string") addText(value, size);
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name === "image_url") continue;
    if (labels.has(name) && typeof inner === "string") size.bytes += Buffer.byteLength(inner);
    else addMessageText(inner, size);
  }
}
