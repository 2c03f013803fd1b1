import type { IncomingMessage } from "node:http";
import { addAbortSignal } from "node:stream";
import { GatewayError } from "@tollgate/core/errors";
import busboy, { type Busboy } from "busboy";
import { type FormPart, maxFieldBytes, maxFormBytes, maxUploadBytes } from "./form-fields.ts";
import { gatherChunks } from "./gather-chunks.ts";
import { createPartHeaders, formBoundary, isUtf8, type PartHeaders } from "./part-headers.ts";

const maxParts = 1_000;

/** Receives a form while it is read. */
export interface FormSinks {
  /** Reads one file to its end. */
  takeFile(name: string, contents: AsyncIterable<Buffer>): Promise<void>;
  /** Receives the bytes of the body itself. */
  takeChunk?(chunk: Buffer): Promise<void>;
}

/**
 * Reads a multipart form to its end. Returns its parts in the order of the body. Throws
 * `invalid_json` for a body that is not a form, `request_too_large` over the limit for uploads, and
 * what a sink throws.
 */
export async function readMultipart(
  req: IncomingMessage,
  { takeFile, takeChunk }: FormSinks,
): Promise<FormPart[]> {
  if (Number(req.headers["content-length"] ?? 0) > maxFormBytes) throw uploadTooLarge();
  const form = openForm(req);
  const headers = createPartHeaders(boundaryOf(req));
  const parts: FormPart[] = [];
  const sinks: Promise<void>[] = [];
  const count = createFileCount();
  const failing = new AbortController();
  const fail = (error: unknown) => failing.abort(error);
  const closed = new Promise((resolve) => form.on("close", resolve));
  form.on("field", (name, value, { valueTruncated }) => {
    parts.push(valueTruncated ? { kind: "oversized", name } : { kind: "field", name, value });
  });
  form.on("file", (name, contents, { filename: fileName = "" }) => {
    parts.push({ kind: "file", name, fileName, contentType: "", offset: 0 });
    contents.on("error", (error) => fail(malformedForm(describeParserError(error))));
    sinks.push(takeFile(name, count(contents)).catch(fail));
  });
  for (const limit of ["partsLimit", "filesLimit", "fieldsLimit"] as const) {
    form.on(limit, () => fail(malformedForm(`it has more than ${maxParts} parts`)));
  }
  form.on("error", (error) => fail(malformedForm(describeParserError(error))));
  req.on("aborted", () => fail(malformedForm("it was cut off")));
  const broken = untilAborted(failing.signal);
  let bodyBytes = 0;
  const chunks = req.pipe(gatherChunks());
  try {
    for await (const chunk of addAbortSignal(failing.signal, chunks) as AsyncIterable<Buffer>) {
      bodyBytes += chunk.length;
      if (bodyBytes > maxFormBytes) throw uploadTooLarge();
      headers.push(chunk);
      const fault = headers.fault();
      if (fault !== undefined) throw malformedForm(fault);
      // The next chunk waits for these, so that no more than one chunk is buffered.
      await Promise.race([broken, Promise.all([write(form, chunk), takeChunk?.(chunk)])]);
    }
    // Not `end`, which would wait for a file that begins after the end of the form.
    form.destroy();
    await Promise.race([broken, closed]);
    await Promise.race([broken, Promise.all(sinks)]);
  } catch (error) {
    throw failing.signal.aborted ? failing.signal.reason : error;
  } finally {
    req.unpipe(chunks);
  }
  return withHeaders(parts, headers);
}

/** Forwards the chunks of files. Throws `request_too_large` once all files are over the limit. */
function createFileCount() {
  let bytes = 0;
  return async function* (contents: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of contents) {
      bytes += chunk.length;
      if (bytes > maxUploadBytes) throw uploadTooLarge();
      yield chunk;
    }
  };
}

/**
 * Resolves once the parser and the reader of its file have taken a chunk. Errors are emitted as
 * events.
 */
function write(form: Busboy, chunk: Buffer): Promise<void> {
  return new Promise((resolve) => form.write(chunk, () => resolve()));
}

function untilAborted(signal: AbortSignal): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => {});
  return aborted;
}

/**
 * busboy skips a part without a name; such a part is refused here. So is a field in another charset than
 * UTF-8: a provider that is sent the form unchanged might read another text than was checked here.
 */
function withHeaders(
  parts: readonly FormPart[],
  { contentTypes, offsets }: PartHeaders,
): FormPart[] {
  if (parts.length !== contentTypes.length || parts.some(({ name }) => name === undefined)) {
    throw malformedForm("one of its parts has no name");
  }
  return parts.map((part, index) => {
    const { [index]: type } = contentTypes;
    if (part.kind !== "file") {
      if (isUtf8(type)) return part;
      throw malformedForm("a field has a charset other than UTF-8", part.name);
    }
    const contentType = type || "application/octet-stream";
    return { ...part, contentType, offset: offsets[index] ?? 0 };
  });
}

function openForm({ headers }: IncomingMessage): Busboy {
  // busboy would also accept a urlencoded form.
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(headers["content-type"] ?? "")) {
    throw malformedForm("its Content-Type is a different type");
  }
  try {
    return busboy({
      headers,
      defParamCharset: "utf8",
      limits: { fieldSize: maxFieldBytes, fieldNameSize: 200, parts: maxParts },
    });
  } catch (error) {
    throw malformedForm(describeParserError(error));
  }
}

function boundaryOf({ headers }: IncomingMessage): string {
  const boundary = formBoundary(headers["content-type"] ?? "");
  if (boundary !== undefined) return boundary;
  throw malformedForm("its Content-Type has an ambiguous boundary");
}

/** Describes an error of busboy, which has no code, to the client. */
function describeParserError(error: unknown): string {
  const { message } = error as Error;
  if (/Boundary not found/.test(message)) return "its Content-Type has no boundary";
  if (/end of (form|file)/.test(message)) return "it ends before its last boundary";
  if (/part header/.test(message)) return "a part has malformed headers";
  return "it is malformed";
}

/** Returns the error of a body that is not a form, and why. */
export function malformedForm(why: string, param?: string): GatewayError {
  return new GatewayError("invalid_json", `The body is not multipart/form-data: ${why}.`, {
    param,
  });
}

/** Returns the error of an upload with more bytes than are taken. */
export function uploadTooLarge(): GatewayError {
  const message =
    `An upload must have at most ${maxUploadBytes} bytes of files, and ${maxFormBytes} bytes in ` +
    "all.";
  return new GatewayError("request_too_large", message, { param: "file" });
}
