import type { IncomingMessage } from "node:http";
import { GatewayError } from "@tollgate/kit/errors";
import { type FormPart, readMultipart } from "@tollgate/kit/http/multipart";
import { createSpool, type Spool } from "@tollgate/kit/http/spool";

/** A transcription's form, checked. */
export interface Upload {
  alias: string;
  stream: boolean;
  /** Empty when none was named. */
  language: string;
  contentType: string;
  audio: Spool;
}

/** The fields besides the file; the last three are taken and mean nothing here. */
const fieldNames = ["model", "language", "stream", "prompt", "response_format", "temperature"];

/**
 * Reads a transcription's form into a spool, which the caller disposes of. Raises `unknown_param`
 * and `invalid_param`, naming the field, and what reading a form raises.
 */
export async function readUpload(req: IncomingMessage, audio: Spool): Promise<Upload> {
  let files = 0;
  const parts = await readMultipart(req, async (name, contents) => {
    files += 1;
    const spool = name === "file" && files === 1 ? audio : undefined;
    for await (const chunk of contents as AsyncIterable<Buffer>) await spool?.write(chunk);
  });
  refuseUnknown(parts);
  const file = oneOf(parts, "file");
  if (file?.kind !== "file") throw invalid("file", file ? "must be a file" : "is required");
  const alias = textOf(parts, "model");
  if (!alias) throw invalid("model", alias === undefined ? "is required" : "must not be empty");
  const stream = readStream(textOf(parts, "stream"));
  const language = textOf(parts, "language") ?? "";
  for (const name of ["prompt", "response_format", "temperature"]) textOf(parts, name);
  if (stream && language !== "") {
    throw invalid("language", "is found out by itself in a stream, and cannot be chosen");
  }
  return { alias, stream, language, contentType: file.contentType, audio };
}

/** Opens a spool for one upload and disposes of it in the end. */
export async function withSpool<T>(work: (spool: Spool) => Promise<T>): Promise<T> {
  const spool = createSpool();
  try {
    return await work(spool);
  } finally {
    await spool.dispose();
  }
}

function refuseUnknown(parts: readonly FormPart[]): void {
  const unknown = parts.find(({ name }) => name !== "file" && !fieldNames.includes(name));
  if (unknown === undefined) return;
  const param = unknown.name.slice(0, 200);
  throw new GatewayError("unknown_param", `${param} is not a parameter of this route.`, { param });
}

function oneOf(parts: readonly FormPart[], name: string): FormPart | undefined {
  const [part, ...others] = parts.filter((one) => one.name === name);
  if (others.length > 0) throw invalid(name, "must come once");
  return part;
}

function textOf(parts: readonly FormPart[], name: string): string | undefined {
  const part = oneOf(parts, name);
  if (part === undefined) return undefined;
  if (part.kind === "file") throw invalid(name, "must be a text, not a file");
  return part.value;
}

function readStream(value: string | undefined): boolean {
  if (value === undefined || value === "" || value === "false") return false;
  if (value === "true") return true;
  throw invalid("stream", "must be true or false");
}

function invalid(param: string, what: string): GatewayError {
  return new GatewayError("invalid_param", `${param}: ${what}.`, { param });
}
