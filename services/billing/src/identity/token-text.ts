import { newSecret } from "@tollgate/core/secrets";

const tokenPrefix = "tgo-";

/** Returns the text of a new operator token. */
export function newTokenText(): string {
  return tokenPrefix + newSecret();
}
