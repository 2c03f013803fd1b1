/** A text without its media, and whether it was cut. */
export interface TextWithoutMedia {
  text: Buffer;
  isCut: boolean;
}

/** No text has so many letters and digits without a space or a sign. */
const minMediaBytes = 1_024;
/** How much of a part is looked at. */
const examinedBytes = 256;

const quote = 0x22;
const mediaPattern = /^(?:data:[\w.+/;=-]{0,100},)?[\w+/=\\-]*$/;

/**
 * Returns the first `maxBytes` of a JSON text, with a note in place of each string that is base64: images,
 * audio and documents. Does not parse the text, so that 32 MiB of it take some milliseconds.
 */
export function withoutMedia(text: Buffer, maxBytes: number): TextWithoutMedia {
  const parts: Buffer[] = [];
  let bytes = 0;
  let at = 0;
  while (at < text.length && bytes <= maxBytes) {
    const next = text.indexOf(quote, at);
    const end = next === -1 ? text.length : next;
    const part = text.subarray(at, end + 1);
    const kept = isMedia(text, at, end) ? noteOf(end - at) : part;
    parts.push(kept);
    bytes += kept.length;
    at = end + 1;
  }
  const isCut = bytes > maxBytes || at < text.length;
  return { text: Buffer.concat(parts, Math.min(bytes, maxBytes)), isCut };
}

/** Returns whether the bytes between two quotation marks are media. */
function isMedia(text: Buffer, start: number, end: number): boolean {
  if (end - start < minMediaBytes) return false;
  return mediaPattern.test(text.toString("latin1", start, start + examinedBytes));
}

function noteOf(bytes: number): Buffer {
  return Buffer.from(`[media, ${bytes} bytes of base64, not stored]"`);
}
