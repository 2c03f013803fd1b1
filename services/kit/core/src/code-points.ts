/** Returns the number of Unicode code points of a text. A surrogate pair counts as one. */
export function codePoints(text: string): number {
  // One native scan, and nearly all texts have no surrogate pair.
  if (!anyHigh.test(text)) return text.length;
  let count = text.length;
  for (let index = 0; index < text.length - 1; index += 1) {
    if (isHigh(text.charCodeAt(index)) && isLow(text.charCodeAt(index + 1))) count -= 1;
  }
  return count;
}

const anyHigh = /[\ud800-\udbff]/;

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
