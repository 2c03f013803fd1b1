import { createHash } from "node:crypto";
import { keyPrefix } from "@tollgate/core/key-form";
import { newSecret } from "@tollgate/core/secrets";

/** Returns a new key's text: the prefix and 43 random base64url characters. */
export function newKeyText(): string {
  return keyPrefix + newSecret();
}

/**
 * Returns the SHA-256 of a key's text, which is stored in its place. It needs no salt: the text is
 * random and cannot be guessed.
 */
export function hashOfKey(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
