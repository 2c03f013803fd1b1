import { createHash, randomBytes } from "node:crypto";

const secretBytes = 32;

/** Returns a new secret: 43 random base64url characters. */
export function newSecret(): string {
  return randomBytes(secretBytes).toString("base64url");
}

/** Returns the SHA-256 of a secret. It needs no salt: secrets are random and cannot be guessed. */
export function hashOfSecret(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash("sha256").update(text).digest());
}
