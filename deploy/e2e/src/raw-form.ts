import { randomUUID } from "node:crypto";

export interface RawPart {
  /** Its header lines, as they stand. */
  head: string;
  contents: string | Buffer;
}

export interface RawForm {
  body: Buffer;
  contentType: string;
}

/** A form written by hand: every part just as it stands. */
export function rawForm(parts: readonly RawPart[], boundary: string = `b${randomUUID()}`): RawForm {
  const pieces = parts.flatMap(({ head, contents }) => [
    Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
    Buffer.from(contents),
    Buffer.from("\r\n"),
  ]);
  return {
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary="${boundary}"`,
  };
}

/** The header line that names a part; `rest` follows the name. */
export function named(name: string, rest = ""): string {
  return `Content-Disposition: form-data; name="${name}"${rest}`;
}
