/**
 * Returns the start of a text as a database and a protobuf message store it: well-formed, and without
 * the character zero.
 */
export function storableText(text: string, maxCharacters: number): string {
  if (text === "") return text;
  return text.slice(0, maxCharacters).toWellFormed().replaceAll("\0", "\u{fffd}");
}
