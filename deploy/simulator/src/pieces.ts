/** Splits a text as a tokenizer does, about, or into `count` equal pieces. */
export function piecesOf(text: string, count?: number): string[] {
  const size = count === undefined ? 8 : Math.max(1, Math.ceil(text.length / count));
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, "gu")) ?? [];
}
