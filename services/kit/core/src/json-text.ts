export const quoteByte = 0x22;
const backslash = 0x5c;
const bracket = 0x5b;
const brace = 0x7b;
const colon = 0x3a;

/** Most strings are short. A long one is searched by `indexOf`, which is fast on long text. */
const shortBytes = 64;

/**
 * Returns the index of the quote that closes the string opened at `open`. Returns the length of the
 * text, or more, if nothing closes it.
 */
export function endOfString(text: Buffer, open: number): number {
  const near = walkString(text, open + 1, open + shortBytes);
  if (text[near] === quoteByte) return near;
  const close = text.indexOf(quoteByte, near);
  if (close < 0) return text.length;
  return text[close - 1] === backslash ? walkString(text, near, text.length) : close;
}

/** Returns the index of the next closing quote; without one, `until` or `until + 1`. */
function walkString(text: Buffer, from: number, until: number): number {
  let at = from;
  for (; at < until; at += 1) {
    const byte = text[at];
    if (byte === quoteByte) return at;
    if (byte === backslash) at += 1;
  }
  return at;
}

/**
 * Returns whether JSON text has more than `limit` arrays, objects and members. The result for text
 * that is not JSON is unspecified.
 */
export function hasMoreThan(limit: number, text: Buffer): boolean {
  let count = 0;
  for (let at = 0; at < text.length && count <= limit; at += 1) {
    const byte = text[at];
    if (byte === quoteByte) at = endOfString(text, at);
    else if (byte === bracket || byte === brace || byte === colon) count += 1;
  }
  return count > limit;
}
