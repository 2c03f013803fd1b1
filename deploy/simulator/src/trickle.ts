import { type Call, pause, write } from "./call.ts";

/** Writes the bytes in several small pieces, `gapMs` apart, each a socket write of its own. */
export async function trickle(call: Call, bytes: Buffer, gapMs: number): Promise<void> {
  for (const piece of splitAwkwardly(bytes)) {
    await write(call, piece);
    await pause(call, gapMs);
  }
}

/**
 * Splits where careless readers stumble: at each third, inside every multi-byte character, and
 * before the last byte, which for an event lies between the two halves of its end.
 */
export function splitAwkwardly(bytes: Buffer): Buffer[] {
  const third = Math.ceil(bytes.length / 3);
  const pieces: Buffer[] = [];
  let from = 0;
  for (let at = 1; at < bytes.length; at += 1) {
    const insideCharacter = isLeadByte(bytes[at - 1]);
    if (insideCharacter || at % third === 0 || at === bytes.length - 1) {
      pieces.push(bytes.subarray(from, at));
      from = at;
    }
  }
  pieces.push(bytes.subarray(from));
  return pieces;
}

/** The first byte of a multi-byte UTF-8 character. */
function isLeadByte(byte = 0): boolean {
  return byte >= 0xc0;
}
