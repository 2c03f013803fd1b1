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

/** What the keys of vendors, and the tokens of operators, begin with. A hyphen in it tells keys from words. */
const vendorKeys =
  /\b(?:[rs]k[-_]|csk-|xai-|gsk_|pa-|hf_|jina_|nvapi-|tgo-|AIza|A[KS]IA)[-\w]{12,}/g;

/** Returns a text in which `[key]` stands for each part that looks like a key of a vendor. */
export function hideVendorKeys(text: string): string {
  return text.replace(vendorKeys, "[key]");
}

/** Shorter ones may be names, such as `pa-production`. */
const shortestSecret = 24;

/** Returns whether a text has a part that looks like a whole key, of the gateway or of a vendor. */
export function hasSecret(text: string): boolean {
  const found = text.match(vendorKeys) ?? [];
  return found.some((part) => part.length >= shortestSecret && /\d/.test(part));
}
