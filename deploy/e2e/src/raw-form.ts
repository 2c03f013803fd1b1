import { randomUUID } from "node:crypto";

export interface RawPart {
  /** Its header lines. */
  head: string;
  contents: string | Buffer;
}

export interface RawForm {
  body: Buffer;
  contentType: string;
}

/** Returns a form whose parts are written unchanged. */
export function rawForm(parts: readonly RawPart[], boundary: string = `b${randomUUID()}`): RawForm {
  const chunks = parts.flatMap(({ head, contents }) => [
    Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
    Buffer.from(contents),
    Buffer.from("\r\n"),
  ]);
  return {
    body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary="${boundary}"`,
  };
}

/** Returns the header line that names a part; `rest` follows the name. */
export function named(name: string, rest = ""): string {
  return `Content-Disposition: form-data; name="${name}"${rest}`;
}
