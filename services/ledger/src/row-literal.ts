/** NULL, as a field of a row's literal. */
export const nullField = "";

/** Returns the literal of a row. Its fields are numbers and times, or texts that are quoted. */
export function rowLiteral(fields: readonly string[]): string {
  return `(${fields.join(",")})`;
}

/**
 * Returns the literal of an array of texts, or of the literals of rows, for a parameter that the
 * driver sends as it is.
 */
export function arrayLiteral(texts: readonly (string | null)[]): string {
  return `{${texts.map((text) => (text === null ? "NULL" : inQuotes(text))).join(",")}}`;
}

/** Nearly all fields are ids and names, which need no quotes. */
const plain = /^[\w./:@-]+$/;

export function quoteElement(text: string): string {
  return plain.test(text) ? text : inQuotes(text);
}

/** What JSON escapes in another way than Postgres does: control characters and lone surrogates. */
const otherwiseEscaped = /[\p{Cc}\p{Cs}]/u;

/**
 * Quotes a text. JSON.stringify escapes quotes and backslashes as Postgres does, in a third of the
 * time, which counts for JSON.
 */
function inQuotes(text: string): string {
  if (!otherwiseEscaped.test(text)) return JSON.stringify(text);
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}
