/** Longer values are cut: requests that have so much in common may as well share a slot. */
const maxLength = 256;

/**
 * Returns the first of these members of a request that names what its later requests have in common, such
 * as a key of the prompt cache or an end user; an empty text where none does.
 */
export function affinityOf(...members: readonly unknown[]): string {
  const named = members.find((member) => typeof member === "string" && member !== "");
  return typeof named === "string" ? named.slice(0, maxLength) : "";
}
