import { hideVendorKeys } from "@tollgate/core/key-form";

/**
 * Returns a provider's text without credentials. Clients are sent such texts, and an error may
 * repeat the key that it refuses.
 */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, "[key]"), text);
}

/** Returns a text without what looks like a key, or like the rest of one that a provider has masked. */
export function hideKeys(text: string): string {
  return hideVendorKeys(text.replace(/[\w-]*\*{3,}[\w*-]*/g, "[key]"));
}
