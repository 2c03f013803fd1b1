import type { IncomingMessage } from "node:http";
import {
  filesOf,
  invalidPart,
  refuseUnknownParts,
  requiredTextOf,
  textOf,
} from "@tollgate/kit/http/form-fields";
import { readMultipart } from "@tollgate/kit/http/multipart";
import type { Spool } from "@tollgate/kit/http/spool";

/** A transcription's form, checked. */
export interface Upload {
  alias: string;
  stream: boolean;
  /** Empty when none was named. */
  language: string;
  contentType: string;
  audio: Spool;
}

/** Taken, and of no meaning here. */
const dropped = ["prompt", "response_format", "temperature"];
const names = ["file", "model", "language", "stream", ...dropped];

/**
 * Reads a transcription's form, its file into `audio`. Raises `unknown_param` and `invalid_param`,
 * naming the field, and what reading a form raises.
 */
export async function readUpload(req: IncomingMessage, audio: Spool): Promise<Upload> {
  let files = 0;
  const parts = await readMultipart(req, {
    async takeFile(name, contents) {
      files += 1;
      const spool = name === "file" && files === 1 ? audio : undefined;
      for await (const chunk of contents as AsyncIterable<Buffer>) await spool?.write(chunk);
    },
  });
  refuseUnknownParts(parts, names);
  const [file, ...others] = filesOf(parts, "file");
  if (file === undefined || others.length > 0) throw invalidPart("file", "must come once");
  const alias = requiredTextOf(parts, "model");
  const stream = readStream(textOf(parts, "stream"));
  const language = textOf(parts, "language") ?? "";
  for (const name of dropped) textOf(parts, name);
  if (stream && language !== "") {
    throw invalidPart("language", "is found out by itself in a stream, and cannot be chosen");
  }
  return { alias, stream, language, contentType: file.contentType, audio };
}

function readStream(value: string | undefined): boolean {
  if (value === undefined || value === "" || value === "false") return false;
  if (value === "true") return true;
  throw invalidPart("stream", "must be true or false");
}
