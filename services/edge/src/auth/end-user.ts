import { createHmac } from "node:crypto";

const hexCharacters = 32;

/**
 * Returns the id of an end user in usage and limits: of what a request calls it, the first 32 hex characters
 * of an HMAC-SHA-256 under the salt of the account. An empty name has an empty id.
 */
export function endUserIdOf(name: string, salt: string): string {
  if (name === "") return "";
  return createHmac("sha256", salt).update(name).digest("hex").slice(0, hexCharacters);
}
