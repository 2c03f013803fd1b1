import { pause, type SimulatorCall, write } from "./call.ts";

/** Writes the bytes in several small chunks, `gapMs` apart, each in its own socket write. */
export async function trickle(call: SimulatorCall, bytes: Buffer, gapMs: number): Promise<void> {
  for (const chunk of splitAwkwardly(bytes)) {
    await write(call, chunk);
    await pause(call, gapMs);
  }
}

/**
 * Splits bytes at the points that break careless parsers: at each third, inside every multi-byte
 * character, and before the last byte, which is between the two line ends of an event.
 */
export function splitAwkwardly(bytes: Buffer): Buffer[] {
  const third = Math.ceil(bytes.length / 3);
  const chunks: Buffer[] = [];
  let from = 0;
  for (let at = 1; at < bytes.length; at += 1) {
    const insideCharacter = isLeadByte(bytes[at - 1]);
    if (insideCharacter || at % third === 0 || at === bytes.length - 1) {
      chunks.push(bytes.subarray(from, at));
      from = at;
    }
  }
  chunks.push(bytes.subarray(from));
  return chunks;
}

/** Returns whether this is the first byte of a multi-byte UTF-8 character. */
function isLeadByte(byte = 0): boolean {
  return byte >= 0xc0;
}
