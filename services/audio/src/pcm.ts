import { GatewayError } from "@tollgate/core/errors";
import type { Upload } from "./upload.ts";
import { isRiffWave, pcmBytesPerSecond, readWav, type Wav } from "./wav.ts";

/** The samples of an upload: 16 kHz, mono, signed 16 bit. */
export interface Pcm {
  offset: number;
  bytes: number;
}

const rawTypes: ReadonlySet<string> = new Set([
  "audio/l16",
  "audio/pcm",
  "audio/x-pcm",
  "audio/raw",
]);

/** Finds the samples to stream. Raises `unsupported_audio_format` for every other kind of audio. */
export function pcmOf({ audio, contentType }: Upload): Pcm {
  const head = audio.head();
  if (isRiffWave(head)) {
    const wav = readWav(head);
    if (wav === undefined || !isStreamable(wav)) throw unsupported("This WAV is of another kind.");
    // What comes after the samples is no sound.
    const rest = audio.bytes - wav.dataOffset;
    return { offset: wav.dataOffset, bytes: Math.min(wav.dataBytes ?? rest, rest) };
  }
  const [type = "", ...parameters] = contentType
    .toLowerCase()
    .replaceAll('"', "")
    .split(/\s*;\s*/);
  if (!rawTypes.has(type)) throw unsupported("The file is neither a WAV nor raw audio/L16.");
  if (parameters.some((one) => /^rate=/.test(one) && one !== "rate=16000")) {
    throw unsupported("The rate is another.");
  }
  if (parameters.some((one) => /^channels=/.test(one) && one !== "channels=1")) {
    throw unsupported("It has more channels.");
  }
  return { offset: 0, bytes: audio.bytes };
}

function isStreamable({ format, sampleRate, channels, bitsPerSample, bytesPerSecond }: Wav) {
  return (
    format === 1 &&
    sampleRate === 16_000 &&
    channels === 1 &&
    bitsPerSample === 16 &&
    bytesPerSecond === pcmBytesPerSecond
  );
}

function unsupported(what: string): GatewayError {
  const message = `A stream takes PCM alone: 16 kHz, mono, 16 bit. ${what}`;
  return new GatewayError("unsupported_audio_format", message, { param: "file" });
}
