/** What files of a type have at an offset. */
const signatures: readonly (readonly [type: string, offset: number, bytes: string])[] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/tiff", 0, "II*\0"],
  ["image/tiff", 0, "MM\0*"],
  ["image/webp", 8, "WEBP"],
  ["image/avif", 4, "ftypavif"],
  ["image/heic", 4, "ftypheic"],
  ["image/heif", 4, "ftypmif1"],
];

/** Returns the type of an image by its first 16 bytes; undefined where they do not tell. */
export function imageTypeOf(head: Buffer): string | undefined {
  const text = head.toString("latin1");
  const found = signatures.find(([, offset, bytes]) => text.startsWith(bytes, offset));
  return found?.[0];
}
