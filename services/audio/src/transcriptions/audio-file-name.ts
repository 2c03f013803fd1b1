import type { Upload } from "./upload.ts";

/** The endings by which OpenAI's API, and those that are compatible, tell what a file is. */
const endings = /\.(?:flac|m4a|mp3|mp4|mpeg|mpga|oga|ogg|opus|wav|webm)$/i;

/** How files begin, at an offset. */
const beginnings: readonly (readonly [ending: string, offset: number, bytes: string])[] = [
  ["wav", 8, "WAVE"],
  ["flac", 0, "fLaC"],
  ["ogg", 0, "OggS"],
  ["mp3", 0, "ID3"],
  ["m4a", 4, "ftyp"],
  ["webm", 0, "\x1a\x45\xdf\xa3"],
];

/** Of files whose bytes do not tell: a frame of MP3 may begin in several ways. */
const endingsByType: Readonly<Record<string, string>> = {
  "audio/flac": "flac",
  "audio/m4a": "m4a",
  "audio/mp3": "mp3",
  "audio/mp4": "m4a",
  "audio/mpeg": "mp3",
  "audio/mpga": "mp3",
  "audio/ogg": "ogg",
  "audio/opus": "ogg",
  "audio/wav": "wav",
  "audio/wave": "wav",
  "audio/webm": "webm",
  "audio/x-flac": "flac",
  "audio/x-m4a": "m4a",
  "audio/x-wav": "wav",
  "video/mp4": "mp4",
  "video/webm": "webm",
};

const maxNameLength = 255;

/**
 * Returns the name under which a provider is sent a file: the client's, with an ending that tells what the
 * file is. A name without one is refused by providers that go by it.
 */
export function audioFileName({
  fileName,
  contentType,
  audio,
}: Pick<Upload, "fileName" | "contentType" | "audio">): string {
  const name = fileName === "" ? "audio" : fileName.slice(-maxNameLength);
  if (endings.test(name)) return name;
  const head = audio.head().toString("latin1", 0, 16);
  const found = beginnings.find(([, offset, bytes]) => head.startsWith(bytes, offset));
  const [type = ""] = contentType.toLowerCase().split(/\s*;/);
  const ending = found?.[0] ?? endingsByType[type];
  return ending === undefined ? name : `${name}.${ending}`;
}
