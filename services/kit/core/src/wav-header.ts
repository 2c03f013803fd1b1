/** The format and the samples of a WAV file, by its header. */
export interface WavHeader {
  /** 1 is PCM. */
  format: number;
  sampleRate: number;
  channels: number;
  bitsPerSample: number;
  bytesPerSecond: number;
  /** The offset of the samples in the file. */
  dataOffset: number;
  /**
   * The bytes of the samples; undefined where the header was written before their size was known.
   */
  dataBytes: number | undefined;
}

type Format = Omit<WavHeader, "dataOffset" | "dataBytes">;

const extensible = 0xfffe;
/** The sizes that streaming writers write while the size is unknown. */
const unknownSizes: readonly number[] = [0, 0xffffffff];

/** Returns whether a file begins as a WAV does. */
export function isRiffWave(head: Buffer): boolean {
  return head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8, 12) === "WAVE";
}

/**
 * Reads the header of a WAV file from the start of the file. Returns undefined for another file,
 * and for a header that is broken or not complete.
 */
export function readWavHeader(head: Buffer): WavHeader | undefined {
  if (!isRiffWave(head)) return undefined;
  let format: Format | undefined;
  for (let at = 12; at + 8 <= head.length; ) {
    const id = head.toString("latin1", at, at + 4);
    const size = head.readUInt32LE(at + 4);
    if (id === "data") {
      const dataBytes = unknownSizes.includes(size) ? undefined : size;
      return format && { ...format, dataOffset: at + 8, dataBytes };
    }
    if (id === "fmt " && size >= 16 && at + 24 <= head.length) format = readFormat(head, at + 8);
    // Chunks are padded to an even length.
    at += 8 + size + (size % 2);
  }
  return undefined;
}

function readFormat(head: Buffer, at: number): Format {
  const tag = head.readUInt16LE(at);
  // An extensible header has the real format in the first two bytes of its sub-format.
  const isExtensible = tag === extensible && at + 26 <= head.length;
  return {
    format: isExtensible ? head.readUInt16LE(at + 24) : tag,
    channels: head.readUInt16LE(at + 2),
    sampleRate: head.readUInt32LE(at + 4),
    bytesPerSecond: head.readUInt32LE(at + 8),
    bitsPerSample: head.readUInt16LE(at + 14),
  };
}
