/** Which keys may call a model; see `allowsModel`. */
export type Visibility = "public" | "unlisted" | "internal";

/**
 * Returns whether a key may call a model. `models` are the globs of the key's policy: `*` stands for
 * any characters, and an empty list allows every public model. An unlisted model is allowed only
 * where the list has its very alias, and an internal one never.
 */
export function allowsModel(
  models: readonly string[],
  { alias, visibility }: Readonly<{ alias: string; visibility: Visibility }>,
): boolean {
  if (visibility === "internal") return false;
  if (visibility === "unlisted") return models.includes(alias);
  return models.length === 0 || models.some((glob) => matchesGlob(glob, alias));
}

/**
 * Returns whether a glob matches a text. Compares no more than the product of their lengths, and
 * allocates nothing: a key has up to 100 globs of 200 characters, and each request checks them.
 */
export function matchesGlob(glob: string, text: string): boolean {
  let at = 0;
  let read = 0;
  let star = -1;
  /** Where the text that the last `*` stands for ends. */
  let starEnd = 0;
  while (read < text.length) {
    if (glob[at] === "*") {
      star = at;
      starEnd = read;
      at += 1;
    } else if (at < glob.length && glob[at] === text[read]) {
      at += 1;
      read += 1;
    } else if (star === -1) {
      return false;
    } else {
      // Only the last `*` needs to take more: what an earlier one takes has matched already.
      starEnd += 1;
      at = star + 1;
      read = starEnd;
    }
  }
  while (glob[at] === "*") at += 1;
  return at === glob.length;
}
