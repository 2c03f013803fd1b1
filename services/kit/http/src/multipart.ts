import type { IncomingMessage } from "node:http";
import { addAbortSignal } from "node:stream";
import { GatewayError } from "@tollgate/core/errors";
import busboy, { type Busboy } from "busboy";
import { type FormPart, maxUploadBytes } from "./form-fields.ts";
import { gatherPieces } from "./gather-chunks.ts";
import { createPartHeaders, formBoundary, type PartHeaders } from "./part-headers.ts";

/** The most that a whole form may have: its files, and what is around them. */
const maxFormBytes = maxUploadBytes + 1024 * 1024;
const maxParts = 1_000;
const maxFieldBytes = 64 * 1024;

/** Where a form goes while it is read. */
export interface FormSinks {
  /** Reads a file as it comes. */
  takeFile(name: string, contents: AsyncIterable<Buffer>): Promise<void>;
  /** Takes the body itself, as it stands. */
  takeChunk?(chunk: Buffer): Promise<void>;
}

/**
 * Reads a multipart form to its end, whatever the order of its parts, and answers the parts in that
 * order. Raises `invalid_json` for what is no form, `request_too_large` past the upload's cap, and
 * what a sink raises.
 */
export async function readMultipart(
  req: IncomingMessage,
  { takeFile, takeChunk }: FormSinks,
): Promise<FormPart[]> {
  if (Number(req.headers["content-length"] ?? 0) > maxFormBytes) throw tooLarge();
  const form = openForm(req);
  const headers = createPartHeaders(boundaryOf(req));
  const parts: FormPart[] = [];
  const sinks: Promise<void>[] = [];
  const count = createFileCount();
  const failing = new AbortController();
  const fail = (error: unknown) => failing.abort(error);
  const closed = new Promise((resolve) => form.on("close", resolve));
  form.on("field", (name, value, { valueTruncated }) => {
    // The form parser's types do not say that it leaves out what it cannot decode.
    if (value === undefined && !valueTruncated)
      fail(malformed("a field has a charset that is not read", name));
    parts.push(valueTruncated ? { kind: "oversized", name } : { kind: "field", name, value });
  });
  form.on("file", (name, contents) => {
    parts.push({ kind: "file", name, contentType: "" });
    contents.on("error", (error) => fail(malformed(error.message)));
    sinks.push(takeFile(name, count(contents)).catch(fail));
  });
  for (const limit of ["partsLimit", "filesLimit", "fieldsLimit"] as const) {
    form.on(limit, () => fail(malformed(`it has more than ${maxParts} parts`)));
  }
  form.on("error", (error) => fail(malformed((error as Error).message)));
  req.on("aborted", () => fail(malformed("it was cut off")));
  const broken = untilAborted(failing.signal);
  let bodyBytes = 0;
  const pieces = req.pipe(gatherPieces());
  try {
    for await (const piece of addAbortSignal(failing.signal, pieces) as AsyncIterable<Buffer>) {
      bodyBytes += piece.length;
      if (bodyBytes > maxFormBytes) throw tooLarge();
      headers.push(piece);
      if (headers.fault !== undefined) throw malformed(headers.fault);
      // The next piece waits for these: what is not taken yet is never more than one.
      await Promise.race([broken, Promise.all([write(form, piece), takeChunk?.(piece)])]);
    }
    // Not ended: where a file was begun behind the form's end, that would wait for the file's.
    form.destroy();
    await Promise.race([broken, closed]);
    await Promise.race([broken, Promise.all(sinks)]);
  } catch (error) {
    throw failing.signal.aborted ? failing.signal.reason : error;
  } finally {
    req.unpipe(pieces);
  }
  return withContentTypes(parts, headers);
}

/** Passes files on, and raises `request_too_large` once all of them have too much together. */
function createFileCount() {
  let bytes = 0;
  return async function* (contents: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of contents) {
      bytes += chunk.length;
      if (bytes > maxUploadBytes) throw tooLarge();
      yield chunk;
    }
  };
}

/**
 * Resolves once the form has taken a piece, its file's reader too. Failures are told by its events.
 */
function write(form: Busboy, piece: Buffer): Promise<void> {
  return new Promise((resolve) => form.write(piece, () => resolve()));
}

function untilAborted(signal: AbortSignal): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => {});
  return aborted;
}

/** A part without a name is passed over by the form parser, and must not go unnoticed. */
function withContentTypes(parts: readonly FormPart[], { contentTypes }: PartHeaders): FormPart[] {
  if (parts.length !== contentTypes.length || parts.some(({ name }) => name === undefined)) {
    throw malformed("one of its parts has no name");
  }
  return parts.map((part, index) =>
    part.kind === "file"
      ? { ...part, contentType: contentTypes[index] || "application/octet-stream" }
      : part,
  );
}

function openForm({ headers }: IncomingMessage): Busboy {
  // The form parser would take a form of the other kind as well.
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(headers["content-type"] ?? "")) {
    throw malformed("its Content-Type says otherwise");
  }
  try {
    return busboy({
      headers,
      defParamCharset: "utf8",
      limits: { fieldSize: maxFieldBytes, fieldNameSize: 200, parts: maxParts },
    });
  } catch (error) {
    throw malformed((error as Error).message);
  }
}

function boundaryOf({ headers }: IncomingMessage): string {
  const boundary = formBoundary(headers["content-type"] ?? "");
  if (boundary !== undefined) return boundary;
  throw malformed("its Content-Type names a boundary that could be read in several ways");
}

function malformed(why: string, param?: string): GatewayError {
  return new GatewayError("invalid_json", `The body is no multipart/form-data: ${why}.`, { param });
}

function tooLarge(): GatewayError {
  const message = `The upload's files have more than ${maxUploadBytes} bytes.`;
  return new GatewayError("request_too_large", message, { param: "file" });
}
