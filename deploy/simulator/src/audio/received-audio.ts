const BYTES_PER_SECOND = 2_000;

/** An upload that starts with this text is reported as undecodable. */
export const GARBAGE = "garbage";

/** Reads the duration from a plain WAV header, else estimates it from the size. */
export function secondsOf(head: Buffer, bytes: number): number {
  const isWav = head.length >= 44 && head.toString("latin1", 0, 4) === "RIFF";
  return isWav ? (bytes - 44) / head.readUInt32LE(28) : bytes / BYTES_PER_SECOND;
}
