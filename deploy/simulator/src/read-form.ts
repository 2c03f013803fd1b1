import { createHash } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import busboy from "busboy";

const HEAD_BYTES = 64;

/** A form with one file, which is not kept. */
export interface ReceivedForm {
  /** A name that ends with `[]` has a list. */
  fields: Record<string, string | string[]>;
  file:
    | {
        part: string;
        fileName: string;
        head: Buffer;
        upload: { contentType: string; bytes: number; sha256: string };
      }
    | undefined;
}

/** Reads a form of `multipart/form-data`. */
export async function readReceivedForm(request: IncomingMessage): Promise<ReceivedForm> {
  const parser = busboy({ headers: request.headers });
  const fields: ReceivedForm["fields"] = {};
  let file: ReceivedForm["file"];
  parser.on("field", (name, value) => {
    if (name.endsWith("[]")) fields[name] = [fields[name] ?? [], value].flat();
    else fields[name] = value;
  });
  parser.on("file", (part, contents, { mimeType, filename: fileName = "" }) => {
    const hash = createHash("sha256");
    const chunks: Buffer[] = [];
    let bytes = 0;
    contents.on("data", (chunk: Buffer) => {
      if (bytes < HEAD_BYTES) chunks.push(chunk);
      hash.update(chunk);
      bytes += chunk.length;
    });
    contents.on("end", () => {
      const head = Buffer.concat(chunks).subarray(0, HEAD_BYTES);
      file = {
        part,
        fileName,
        head,
        upload: { contentType: mimeType, bytes, sha256: hash.digest("hex") },
      };
    });
  });
  const closed = once(parser, "close");
  request.pipe(parser);
  await closed;
  return { fields, file };
}
