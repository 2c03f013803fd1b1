import { createHash, randomBytes } from "node:crypto";

const keyPrefix = "sk-tollgate-";
const secretBytes = 32;

/** Returns a new key's text: the prefix and 43 random base64url characters. */
export function newKeyText(): string {
  return keyPrefix + randomBytes(secretBytes).toString("base64url");
}

/**
 * Returns the SHA-256 of a key's text, which is stored in its place. It needs no salt: the text is
 * random and cannot be guessed.
 */
export function hashOfKey(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
