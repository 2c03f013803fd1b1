/** Control characters but tabs and line feeds, and what overrides or isolates a direction of writing. */
const unprintable = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Returns a text that is safe to print on a terminal. Clients choose some of what is printed, such as the names of
 * models and end users. What would control the terminal, or reorder its line, is an escape of JSON.
 */
export function printable(text: string): string {
  return text.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
