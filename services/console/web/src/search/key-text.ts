const keyPrefix = "sk-tollgate-";
/** A key as lists show it, or the beginning of one, is shorter. */
const shortestText = 40;

/** Returns whether a text is that of a key, which belongs in no address. */
export function isKeyText(text: string): boolean {
  return text.startsWith(keyPrefix) && text.length >= shortestText;
}
