import { GatewayError } from "@tollgate/core/errors";
import { isRiffWave, readWavHeader, type WavHeader } from "@tollgate/core/wav-header";
import { pcmBytesPerSecond } from "../durations.ts";
import type { Upload } from "./upload.ts";

/** Where the samples of an upload are. They are PCM: 16 kHz, mono, signed 16-bit. */
export interface PcmSamples {
  offset: number;
  bytes: number;
}

/** The content types of samples without a header. */
export const rawTypes: ReadonlySet<string> = new Set([
  "audio/l16",
  "audio/pcm",
  "audio/x-pcm",
  "audio/raw",
]);

/** Finds the samples of an upload. Throws `unsupported_audio_format` for audio that is not such PCM. */
export function findPcmSamples({
  audio,
  contentType,
}: Pick<Upload, "audio" | "contentType">): PcmSamples {
  const head = audio.head();
  if (isRiffWave(head)) {
    const wav = readWavHeader(head);
    if (wav === undefined || !isStreamable(wav)) {
      throw unsupported("This WAV has another format.");
    }
    // The chunks after the samples are not audio.
    const rest = audio.byteLength() - wav.dataOffset;
    return { offset: wav.dataOffset, bytes: Math.min(wav.dataBytes ?? rest, rest) };
  }
  const [type = "", ...parameters] = contentType
    .toLowerCase()
    .replaceAll('"', "")
    .split(/\s*;\s*/);
  if (!rawTypes.has(type)) throw unsupported("The file is neither a WAV nor raw audio/L16.");
  if (parameters.some((text) => /^rate=/.test(text) && text !== "rate=16000")) {
    throw unsupported("The file has another sample rate.");
  }
  if (parameters.some((text) => /^channels=/.test(text) && text !== "channels=1")) {
    throw unsupported("The file has more than one channel.");
  }
  return { offset: 0, bytes: audio.byteLength() };
}

function isStreamable({ format, sampleRate, channels, bitsPerSample, bytesPerSecond }: WavHeader) {
  return (
    format === 1 &&
    sampleRate === 16_000 &&
    channels === 1 &&
    bitsPerSample === 16 &&
    bytesPerSecond === pcmBytesPerSecond
  );
}

function unsupported(problem: string): GatewayError {
  const message = `A stream takes PCM only: 16 kHz, mono, 16-bit. ${problem}`;
  return new GatewayError("unsupported_audio_format", message, { param: "file" });
}
