import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type { JsonObject } from "@tollgate/core/json";

/** Contents that are read while they are sent. */
interface Contents {
  bytes: number;
  read(): AsyncIterable<Buffer>;
}

/**
 * Returns the headers and the body of a JSON request with a file as a data URL, which `bodyOf` is
 * called with. The file is encoded while it is sent, so that it is never in memory as a whole.
 */
export function jsonWithFile(
  { bytes, read }: Contents,
  mediaType: string,
  bodyOf: (url: string) => JsonObject,
): { headers: Record<string, string>; body: Readable } {
  const mark = randomUUID();
  const [before = "", after = ""] = JSON.stringify(bodyOf(mark)).split(mark);
  const head = Buffer.from(`${before}data:${mediaType};base64,`);
  const tail = Buffer.from(after);
  async function* body() {
    yield head;
    yield* base64Of(read());
    yield tail;
  }
  const encodedBytes = Math.ceil(bytes / 3) * 4;
  return {
    headers: {
      "content-type": "application/json",
      "content-length": String(head.length + encodedBytes + tail.length),
    },
    body: Readable.from(body(), { objectMode: false }),
  };
}

async function* base64Of(contents: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of contents) {
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    // Three bytes are four characters.
    const whole = all.length - (all.length % 3);
    if (whole > 0) yield Buffer.from(all.toString("base64", 0, whole), "latin1");
    rest = Buffer.from(all.subarray(whole));
  }
  if (rest.length > 0) yield Buffer.from(rest.toString("base64"), "latin1");
}
