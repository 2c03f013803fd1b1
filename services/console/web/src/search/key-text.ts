import { hasSecret, keyPrefix } from "@tollgate/core/key-form";

/** What stands beside a field whose text is not sent. */
export const secretNotice = "This looks like a secret: it is not searched for.";

/** Lists show the first four characters after the prefix. Keys have 43. */
const moreThanShown = new RegExp(`${keyPrefix}[\\w-]{5,}`);
const wholeKey = new RegExp(`${keyPrefix}[\\w-]{28,}`);

/** Returns the whole key in a text, which may have more around it, such as the name of a variable. */
export function keyTextIn(text: string): string | undefined {
  return wholeKey.exec(text)?.[0];
}

/**
 * Returns whether a text has a vendor's key, or more of one of the gateway's than lists show. It belongs in no
 * address and in no search.
 */
export function isSecretText(text: string): boolean {
  return moreThanShown.test(text) || hasSecret(text);
}
