import { createHash } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import busboy from "busboy";

const HEAD_BYTES = 64;

/** A form with one file, which is not kept. */
export interface ReceivedForm {
  fields: Record<string, string>;
  file:
    | { head: Buffer; upload: { contentType: string; bytes: number; sha256: string } }
    | undefined;
}

/** Reads a form of `multipart/form-data`. */
export async function readReceivedForm(request: IncomingMessage): Promise<ReceivedForm> {
  const parser = busboy({ headers: request.headers });
  const fields: Record<string, string> = {};
  let file: ReceivedForm["file"];
  parser.on("field", (name, value) => {
    fields[name] = value;
  });
  parser.on("file", (_name, contents, { mimeType }) => {
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
      file = { head, upload: { contentType: mimeType, bytes, sha256: hash.digest("hex") } };
    });
  });
  const closed = once(parser, "close");
  request.pipe(parser);
  await closed;
  return { fields, file };
}
