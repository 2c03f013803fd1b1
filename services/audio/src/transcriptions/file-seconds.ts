import { minAudioBytesPerSecond, secondsOfWav } from "@tollgate/core/wav-seconds";
import type { UploadStore } from "@tollgate/http/upload-store";
import { pcmBytesPerSecond } from "../durations.ts";
import { rawTypes } from "./pcm-samples.ts";
import type { Upload } from "./upload.ts";

/** How files that are not PCM begin, whatever their content type is. */
const containers: readonly string[] = ["RIFF", "OggS", "fLaC", "ID3", "FORM", "caff", "#!AMR"];
const matroska = 0x1a45dfa3;
/** The first 11 bits of a frame of MP3 or AAC. */
const frameSync = 0xffe0;

/** The length of a file, and what it was derived from. */
export interface FileSeconds {
  seconds: number;
  basis: "wav_header" | "pcm_bytes" | "file_bytes";
}

/**
 * Returns the length of a file: that of a plain WAV, by all bytes after its header; of raw PCM, by its
 * bytes; else the longest that a file of this size can have.
 */
export function secondsOfFile({ audio, contentType }: Pick<Upload, "audio" | "contentType">) {
  const bytes = audio.byteLength();
  const wav = secondsOfWav(audio.head(), bytes);
  if (wav !== undefined) return { seconds: wav, basis: "wav_header" } satisfies FileSeconds;
  if (isRawPcm(audio.head(), contentType)) {
    return { seconds: bytes / pcmBytesPerSecond, basis: "pcm_bytes" } satisfies FileSeconds;
  }
  return { seconds: bytes / minAudioBytesPerSecond, basis: "file_bytes" } satisfies FileSeconds;
}

/** Returns the seconds that a hold must cover: those of a plain WAV, else the most of the size. */
export function mostSecondsOfFile(audio: UploadStore): number {
  return (
    secondsOfWav(audio.head(), audio.byteLength()) ?? audio.byteLength() / minAudioBytesPerSecond
  );
}

/** The content type alone would let a compressed file count as a short one. */
function isRawPcm(head: Buffer, contentType: string): boolean {
  const [type = ""] = contentType.toLowerCase().split(/\s*;/);
  return rawTypes.has(type) && !isContainer(head);
}

function isContainer(head: Buffer): boolean {
  if (head.length < 12) return false;
  const start = head.toString("latin1", 0, 12);
  if (containers.some((name) => start.startsWith(name)) || start.slice(4, 8) === "ftyp")
    return true;
  return head.readUInt32BE(0) === matroska || (head.readUInt16BE(0) & frameSync) === frameSync;
}
