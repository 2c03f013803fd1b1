import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type { AudioUpload } from "./transcription-adapter.ts";

/** The contents of a part of the form that is a file. */
export type FormContents = Pick<AudioUpload, "contentType" | "fileName" | "bytes" | "read">;

/**
 * Returns a form with the file after those of its fields that are not empty. The file is read while it is
 * sent, so that it is never in memory as a whole.
 */
export function formWithFile(
  fields: readonly (readonly [name: string, value: string])[],
  { contentType, fileName, bytes, read }: FormContents,
) {
  const boundary = `tollgate-${randomUUID()}`;
  const part = (name: string, more = "") =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const texts = fields
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${part(name)}${value}\r\n`);
  const file = `; filename="${escapedName(fileName)}"\r\ncontent-type: ${contentType}`;
  const head = Buffer.from(`${texts.join("")}${part("file", file)}`);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  async function* body() {
    yield head;
    yield* read();
    yield tail;
  }
  return {
    headers: {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "content-length": String(head.length + bytes + tail.length),
    },
    body: Readable.from(body(), { objectMode: false }),
  };
}

/** https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data */
function escapedName(name: string): string {
  return name.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22");
}
