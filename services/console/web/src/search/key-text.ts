const keyPrefix = "sk-tollgate-";
/** How much of a key's beginning lists show. */
const shownLength = 16;
/** A key as lists show it, or the beginning of one, is shorter. */
const shortestText = 40;

/** Returns whether a text is that of a key, which belongs in no address. */
export function isKeyText(text: string): boolean {
  return text.startsWith(keyPrefix) && text.length >= shortestText;
}

/** Returns whether a text has more of a key than lists show: it is not searched for. */
export function isKeyPart(text: string): boolean {
  return text.startsWith(keyPrefix) && text.length > shownLength && !text.includes("…");
}
