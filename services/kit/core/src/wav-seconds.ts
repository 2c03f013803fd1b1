import { readWavHeader, type WavHeader } from "./wav-header.ts";

/** PCM, floating-point PCM, A-law and mu-law: all of a constant byte rate. */
const plainFormats: readonly number[] = [1, 3, 6, 7];
/** What studios record. A header that claims more would make the audio short. */
const [maxSampleRate, maxChannels, maxBitsPerSample] = [192_000, 8, 32];

/** 16 kbit/s: no common codec encodes speech in less. */
export const minAudioBytesPerSecond = 2_000;

/**
 * Returns the length of a plain WAV of so many bytes, by all bytes after the header in its head;
 * undefined for any other file. What the header says of the size of the samples does not count: a
 * provider may read on after them.
 */
export function secondsOfWav(head: Buffer, bytes: number): number | undefined {
  const wav = readWavHeader(head);
  if (wav === undefined || !isPlain(wav)) return undefined;
  return (bytes - wav.dataOffset) / wav.bytesPerSecond;
}

/**
 * Returns whether the header's byte rate is that of its samples, and is a usual one. A higher one would
 * shrink the hold and the charge.
 */
function isPlain({ format, sampleRate, channels, bitsPerSample, bytesPerSecond }: WavHeader) {
  return (
    plainFormats.includes(format) &&
    sampleRate <= maxSampleRate &&
    channels <= maxChannels &&
    bitsPerSample <= maxBitsPerSample &&
    bytesPerSecond > 0 &&
    bytesPerSecond === (sampleRate * channels * bitsPerSample) / 8
  );
}

/** The part of a file in which the header of a WAV is looked for. A multiple of 4 characters. */
const headCharacters = 8 * 1_024;

/**
 * Returns the seconds of audio in base64, rounded up: those of a plain WAV that is sent as `wav`, else
 * the most that audio of this size can have. A decoder of another format may read past such a header.
 */
export function secondsOfAudio(base64: string, format: unknown): number {
  const bytes = Buffer.byteLength(base64, "base64");
  const head = Buffer.from(base64.slice(0, headCharacters), "base64");
  const wav = format === "wav" ? secondsOfWav(head, bytes) : undefined;
  return Math.max(1, Math.ceil(wav ?? bytes / minAudioBytesPerSecond));
}
