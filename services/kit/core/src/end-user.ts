import { createHmac } from "node:crypto";
import { storableText } from "./storable-text.ts";

const hexCharacters = 32;
/** The most characters of an end user that are stored as a request names it. */
const maxCharacters = 64;

/**
 * Returns the id of an end user in usage and limits: of what a request calls it, the first 32 hex characters
 * of an HMAC-SHA-256 under the salt of the account; without a salt its first 64 characters. An empty name has
 * an empty id.
 */
export function endUserIdOf(name: string, salt: string): string {
  if (name === "") return "";
  if (salt === "") return storableText(name, maxCharacters);
  return createHmac("sha256", salt).update(name).digest("hex").slice(0, hexCharacters);
}

/** Returns whether a text has the form of a hashed id. */
export function isHashedEndUser(text: string): boolean {
  return /^[\da-f]{32}$/.test(text);
}
