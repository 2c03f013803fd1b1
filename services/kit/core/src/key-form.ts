/** What every key of the gateway begins with. */
export const keyPrefix = "sk-tollgate-";

const shownCharacters = 4;

/**
 * Returns a key of the gateway's form as lists of keys show it, with eight characters of its text. One
 * that is too short to stay secret then has none.
 */
export function shownKey(key: string): string {
  const text = key.slice(keyPrefix.length);
  if (text.length < 5 * shownCharacters) return `${keyPrefix}…`;
  return `${keyPrefix}${text.slice(0, shownCharacters)}…${text.slice(-shownCharacters)}`;
}

const keysInText = new RegExp(`${keyPrefix}[\\w-]{20,}`, "gi");

/** Returns a text in which each key of the gateway is as lists of keys show it. */
export function maskKeys(text: string): string {
  return text.replace(keysInText, shownKey);
}
