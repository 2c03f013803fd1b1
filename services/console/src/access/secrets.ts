import { createHash, randomBytes } from "node:crypto";

const secretBytes = 32;

/** Returns the secret of a new session: 43 random base64url characters. */
export function newSessionSecret(): string {
  return randomBytes(secretBytes).toString("base64url");
}

/** Returns the SHA-256 by which billing knows a session, a token or a sign-in link. */
export function hashOfSecret(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash("sha256").update(text).digest());
}
