export const quote = 0x22;
const backslash = 0x5c;
const bracket = 0x5b;
const brace = 0x7b;
const colon = 0x3a;

/** Most strings end soon; a long one is searched, which is quick unless it has quotes in it. */
const soon = 64;

/** Where the string that opens there is closed; where none is, the end of the text or behind it. */
export function endOfString(text: Buffer, open: number): number {
  const near = walkString(text, open + 1, open + soon);
  if (text[near] === quote) return near;
  const close = text.indexOf(quote, near);
  if (close < 0) return text.length;
  return text[close - 1] === backslash ? walkString(text, near, text.length) : close;
}

/** The next quote that closes a string, or where else it stops, at `until` or one behind. */
function walkString(text: Buffer, from: number, until: number): number {
  let at = from;
  for (; at < until; at += 1) {
    const byte = text[at];
    if (byte === quote) return at;
    if (byte === backslash) at += 1;
  }
  return at;
}

/**
 * Whether JSON text has more than so many arrays, objects and members. Of no JSON, it says
 * anything.
 */
export function hasMoreThan(limit: number, text: Buffer): boolean {
  let count = 0;
  for (let at = 0; at < text.length && count <= limit; at += 1) {
    const byte = text[at];
    if (byte === quote) at = endOfString(text, at);
    else if (byte === bracket || byte === brace || byte === colon) count += 1;
  }
  return count > limit;
}
