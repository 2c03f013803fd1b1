/** Audio without a container: 16 kHz, mono, signed 16 bit. */
export const pcmBytesPerSecond = 32_000;

export interface Wav {
  /** 1 is PCM. */
  format: number;
  sampleRate: number;
  channels: number;
  bitsPerSample: number;
  bytesPerSecond: number;
  /** Where the samples begin. */
  dataOffset: number;
  /** How many bytes of them there are; undefined where the header was written before they were. */
  dataBytes: number | undefined;
}

type Format = Omit<Wav, "dataOffset" | "dataBytes">;

const extensible = 0xfffe;
/** What writers put for a size that they do not know yet. */
const unknownSizes: readonly number[] = [0, 0xffffffff];

/** Whether a file says of itself that it is a WAV. */
export function isRiffWave(head: Buffer): boolean {
  return head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8, 12) === "WAVE";
}

/** Reads a WAV's header; undefined when it is none, or is broken. */
export function readWav(head: Buffer): Wav | undefined {
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
  // An extensible header names the real format in the first two bytes of its sub-format.
  const isLong = tag === extensible && at + 26 <= head.length;
  return {
    format: isLong ? head.readUInt16LE(at + 24) : tag,
    channels: head.readUInt16LE(at + 2),
    sampleRate: head.readUInt32LE(at + 4),
    bytesPerSecond: head.readUInt32LE(at + 8),
    bitsPerSample: head.readUInt16LE(at + 14),
  };
}
