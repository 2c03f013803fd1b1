import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { expect, test } from "vitest";
import { acceptEncoding, decodeBody } from "./decoded-body.ts";
import type { ProviderBody } from "./provider-call.ts";

const { ZSTD_c_checksumFlag } = constants;
const text = Buffer.from("data: Grüße\n\n".repeat(20_000));

function bodyOf(bytes: Buffer, failure?: Error) {
  const closed = { early: false, well: false };
  async function* read() {
    try {
      for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100);
      if (failure !== undefined) throw failure;
    } finally {
      closed.early = true;
    }
  }
  const letEnd = () => {
    closed.well = true;
  };
  return { closed, body: Object.assign(read(), { letEnd }) as ProviderBody };
}

async function read(body: ProviderBody): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test.each([
  ["gzip", gzipSync(text)],
  ["X-GZIP", gzipSync(text)],
  ["deflate", deflateSync(text)],
  ["deflate", deflateRawSync(text)],
  ["br", brotliCompressSync(text)],
  ["zstd", zstdCompressSync(text)],
  ["gzip, br", brotliCompressSync(gzipSync(text))],
  ["gzip", gzipSync(text).subarray(0, -8)],
  ["zstd", zstdCompressSync(text, { params: { [ZSTD_c_checksumFlag]: 1 } }).subarray(0, -4)],
  ["identity", text],
])("a body in %s is decoded", async (coding, bytes) => {
  expect((await read(decodeBody(bodyOf(bytes).body, coding))).equals(text)).toBe(true);
});

test("all codings that are decoded are asked for, and none is preferred to plain bytes", () => {
  const codings = ["gzip", "deflate", "br", "zstd"].map((name) => `${name};q=0.5`);
  expect(acceptEncoding).toBe(["identity", ...codings].join(", "));
});

test("a body that is decoded to more than the limit is refused", async () => {
  const { body, closed } = bodyOf(gzipSync(text));
  const decoded = decodeBody(body, "gzip", text.length - 1);
  await expect(read(decoded)).rejects.toMatchObject({ kind: "oversized" });
  expect(closed.early).toBe(true);
});

test.each([
  "gzip",
  "zstd",
  "gzip, br",
])("plain bytes that are said to be %s are read", async (coding) => {
  const bytes = coding.endsWith("br") ? brotliCompressSync(text) : text;
  const { body, closed } = bodyOf(bytes);
  expect((await read(decodeBody(body, coding))).equals(text)).toBe(true);
  expect(closed.early).toBe(true);
  const stopped = bodyOf(bytes);
  for await (const _ of decodeBody(stopped.body, coding)) break;
  expect(stopped.closed.early).toBe(true);
});

test("a body in another coding, or one that cannot be decoded, is refused", async () => {
  expect(() => decodeBody(bodyOf(text).body, "compress")).toThrow(
    expect.objectContaining({ kind: "rejected" }),
  );
  const plain = decodeBody(bodyOf(text).body, "deflate");
  await expect(read(plain)).rejects.toMatchObject({ kind: "rejected" });
});

test.each([
  ["gzip", gzipSync(text)],
  ["br", brotliCompressSync(text)],
  ["zstd", zstdCompressSync(text)],
])("a connection that breaks is what a reader is thrown, once it has read what came before: %s", async (coding, bytes) => {
  const reset = new Error("reset");
  const decoded = decodeBody(bodyOf(bytes, reset).body, coding);
  let length = 0;
  const reading = (async () => {
    for await (const chunk of decoded) length += chunk.length;
  })();
  await expect(reading).rejects.toBe(reset);
  expect(length).toBe(text.length);
  const cut = decodeBody(bodyOf(bytes.subarray(0, bytes.length / 2), reset).body, coding);
  await expect(read(cut)).rejects.toBe(reset);
});

test("a reader that stops closes the connection, or lets it end", async () => {
  const { body, closed } = bodyOf(gzipSync(text));
  const decoded = decodeBody(body, "gzip");
  for await (const _ of decoded) {
    decoded.letEnd();
    break;
  }
  expect(closed).toEqual({ early: true, well: true });
});
