import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import busboy, { type Busboy } from "busboy";
import { GatewayError } from "../errors.ts";
import { maxUploadBytes } from "./form-fields.ts";
import { createPartHeaders } from "./part-headers.ts";

const maxParts = 1_000;
const maxFieldBytes = 64 * 1024;

/** One field of a form, or one file. */
export type FormPart =
  | { kind: "field"; name: string; value: string }
  | { kind: "file"; name: string; contentType: string };

/** Where a form goes while it is read. */
export interface FormSinks {
  /** Reads a file as it comes. */
  takeFile(name: string, contents: Readable): Promise<void>;
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
  if (Number(req.headers["content-length"] ?? 0) > maxUploadBytes) throw tooLarge();
  const form = openForm(req);
  const headers = createPartHeaders(req.headers["content-type"] ?? "");
  const parts: FormPart[] = [];
  const sinks: Promise<void>[] = [];
  let bodyBytes = 0;
  await new Promise<void>((resolve, reject) => {
    const fail = (error: unknown) => {
      req.unpipe(form);
      req.off("data", onData);
      reject(error);
    };
    form.on("field", (name, value, { valueTruncated }) => {
      if (valueTruncated) fail(tooLong(name));
      parts.push({ kind: "field", name, value });
    });
    form.on("file", (name, contents) => {
      parts.push({ kind: "file", name, contentType: "" });
      contents.on("error", (error) => fail(malformed(error.message)));
      sinks.push(takeFile(name, contents).catch(fail));
    });
    req.on("data", onData);
    function onData(chunk: Buffer): void {
      bodyBytes += chunk.length;
      headers.push(chunk);
      if (takeChunk !== undefined) sinks.push(takeChunk(chunk).catch(fail));
      if (bodyBytes > maxUploadBytes) fail(tooLarge());
    }
    for (const limit of ["partsLimit", "filesLimit", "fieldsLimit"] as const) {
      form.on(limit, () => fail(malformed(`it has more than ${maxParts} parts`)));
    }
    form.on("error", (error) => fail(malformed((error as Error).message)));
    form.on("close", resolve);
    req.on("error", fail);
    req.on("aborted", () => fail(malformed("it was cut off")));
    req.pipe(form);
  });
  await Promise.all(sinks);
  return withContentTypes(parts, headers.contentTypes);
}

/** A part without a name is passed over by the form parser, and must not go unnoticed. */
function withContentTypes(
  parts: readonly FormPart[],
  contentTypes: readonly (string | undefined)[],
): FormPart[] {
  if (parts.length !== contentTypes.length || parts.some(({ name }) => name === undefined)) {
    throw malformed("one of its parts has no name");
  }
  return parts.map((part, index) =>
    part.kind === "field"
      ? part
      : { ...part, contentType: contentTypes[index] || "application/octet-stream" },
  );
}

function openForm({ headers }: IncomingMessage): Busboy {
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

function malformed(why: string): GatewayError {
  return new GatewayError("invalid_json", `The body is no multipart/form-data: ${why}.`);
}

function tooLarge(): GatewayError {
  const message = `The upload is larger than ${maxUploadBytes} bytes.`;
  return new GatewayError("request_too_large", message, { param: "file" });
}

function tooLong(param: string): GatewayError {
  return new GatewayError("invalid_param", `${param} is too long.`, { param });
}
