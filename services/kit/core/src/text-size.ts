import { codePoints } from "./code-points.ts";

/** The length of several texts together. */
export interface TextSize {
  /** In UTF-8. */
  bytes: number;
  /** In Unicode code points. */
  characters: number;
}

/** Adds the length of `text` to `size`. */
export function addText(text: string, size: TextSize): void {
  const bytes = Buffer.byteLength(text);
  size.bytes += bytes;
  // In ASCII the two are equal, so that the text is scanned once.
  size.characters += bytes === text.length ? bytes : codePoints(text);
}

/** Members that identify a message and its tool calls, and are not part of its text. */
const labels: ReadonlySet<string> = new Set(["role", "type", "id", "tool_call_id"]);

/**
 * Adds the length of all text in a chat message, or in a part of one, that a model reads. The
 * labels count in bytes only: bytes are the upper bound of what a provider counts, and a provider
 * may show them to the model. The URL or the bytes of an image, a file or audio do not count.
 */
export function addMessageText(value: unknown, size: TextSize): void {
  if (typeof value === "string") addText(value, size);
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name === "image_url" || isBytes(name, value)) continue;
    if (labels.has(name) && typeof inner === "string") size.bytes += Buffer.byteLength(inner);
    else addMessageText(inner, size);
  }
}

/** Returns whether a member has the bytes of a part. A member of that name in any other object is text. */
function isBytes(name: string, part: object): boolean {
  if (name !== "file" && name !== "input_audio") return false;
  return (part as { type?: unknown }).type === name;
}
