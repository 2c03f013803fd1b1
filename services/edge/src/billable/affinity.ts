/** Longer values are cut. Requests that differ only after this length share a slot. */
const maxLength = 256;

/**
 * Returns the first of these members of a request that is a text, such as the key of a prompt cache or an end
 * user; an empty text if none is.
 */
export function affinityOf(...members: readonly unknown[]): string {
  return firstTextOf(members).slice(0, maxLength);
}

/** Returns the first of these members of a request that is a text, and not empty; else an empty text. */
export function firstTextOf(members: readonly unknown[]): string {
  const named = members.find((member) => typeof member === "string" && member !== "");
  return typeof named === "string" ? named : "";
}
