const common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const leftOut = -1;
const endsGroup = -2;

/** What a decoder takes each character of ASCII for: a value, or one of the above. */
export type Base64Reading = Int8Array;

function readingOf(alphabets: string[], padding: number): Base64Reading {
  const reading = new Int8Array(128).fill(leftOut);
  for (const alphabet of alphabets) {
    for (let value = 0; value < alphabet.length; value += 1) {
      reading[alphabet.charCodeAt(value)] = value;
    }
  }
  reading["=".charCodeAt(0)] = padding;
  return reading;
}

const standard = [`${common}+/`];
const both = [`${common}+/`, `${common}-_`];
const plain = [readingOf(standard, leftOut)];
const withUrlAlphabet = [...plain, readingOf(both, leftOut)];
const withPadding = [...plain, readingOf(standard, endsGroup)];
const withEither = [...withPadding, readingOf(both, leftOut), readingOf(both, endsGroup)];

/**
 * Returns the ways in which decoders may read a text in base64. All leave out characters that are of no
 * alphabet, such as line ends. They differ in whether `-` and `_` are, and in whether padding within the
 * text ends a group of four characters.
 */
export function readingsOf(text: string): readonly Base64Reading[] {
  const hasUrlAlphabet = /[-_]/.test(text);
  if (/=[^A-Za-z0-9+/_=-]*[A-Za-z0-9+/_-]/.test(text))
    return hasUrlAlphabet ? withEither : withPadding;
  return hasUrlAlphabet ? withUrlAlphabet : plain;
}

/** Decodes a text in base64 without its first `skipped` characters that have a value. */
export function decodeLeniently(text: string, reading: Base64Reading, skipped = 0): Buffer {
  const bytes = Buffer.allocUnsafe(text.length);
  let length = 0;
  let toSkip = skipped;
  let bits = 0;
  let group = 0;
  for (let at = 0; at < text.length; at += 1) {
    const value = reading[text.charCodeAt(at)] ?? leftOut;
    if (value === endsGroup) bits = 0;
    if (value < 0) continue;
    if (toSkip > 0) {
      toSkip -= 1;
      continue;
    }
    group = ((group << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length] = (group >> bits) & 0xff;
    length += 1;
  }
  return bytes.subarray(0, length);
}
