import { once } from "node:events";
import { createServer, IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { GatewayError } from "@tollgate/core/errors";
import { expect, onTestFinished, test } from "vitest";
import { parseJsonObject } from "./json-body.ts";
import { readBody } from "./read-body.ts";
import { RequestBody } from "./request-body.ts";
import type { RequestContext } from "./request-context.ts";

interface ReadBody {
  body: Buffer;
  /** How much the memory of the process grew while the body was read. */
  grownBytes: number;
}

/** Sends a body with these headers in these chunks, and reads it. */
async function sendAndRead(
  headers: string,
  chunks: readonly Buffer[],
  isCutOff = false,
  grow: (bytes: number) => void = () => {},
): Promise<ReadBody> {
  const before = process.memoryUsage.rss();
  const server = createServer();
  const reading = new Promise<ReadBody>((resolve, reject) => {
    server.on("request", (req: IncomingMessage, res: ServerResponse) => {
      readBody({ req, res } as RequestContext, { grow })
        .then(
          (body) =>
            resolve({ body: body.joined(), grownBytes: process.memoryUsage.rss() - before }),
          reject,
        )
        .finally(() => res.end());
    });
  });
  reading.catch(() => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  client.on("error", () => {});
  client.write(`POST / HTTP/1.1\r\nhost: x\r\n${headers}\r\n\r\n`);
  for (const chunk of chunks) if (!client.write(chunk)) await once(client, "drain");
  if (isCutOff) client.end(() => client.destroy());
  return reading;
}

const split = (bytes: Buffer, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );

/** Encodes every byte as an HTTP chunk, with many chunks in one write. */
function chunked(bytes: Buffer): Buffer[] {
  const text = Array.from(bytes, (byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join("");
  return split(Buffer.from(`${text}0\r\n\r\n`, "latin1"), 65_536);
}

const json = Buffer.from(JSON.stringify({ text: "é".repeat(100_000) }));
const compressed = gzipSync(json);

test.each([
  ["with a content length", `content-length: ${json.length}`, split(json, 10_000)],
  ["with a content length, in small chunks", `content-length: ${json.length}`, split(json, 3)],
  ["in chunks of one byte", "transfer-encoding: chunked", chunked(json)],
  ["compressed", `content-encoding: gzip\r\ncontent-length: ${compressed.length}`, [compressed]],
  [
    "compressed, in chunks of one byte",
    "content-encoding: gzip\r\ntransfer-encoding: chunked",
    chunked(compressed),
  ],
])("a body sent %s is read completely", async (_, headers, chunks) => {
  const { body } = await sendAndRead(headers, chunks);
  expect(body.equals(json)).toBe(true);
});

test.each([
  ["GZIP", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
  ["zstd", zstdCompressSync],
])("a body with the content coding %s is decoded", async (coding, encode) => {
  const encoded = encode(json);
  const headers = `content-encoding: ${coding}\r\ncontent-length: ${encoded.length}`;
  const { body } = await sendAndRead(headers, [encoded]);
  expect(body.equals(json)).toBe(true);
});

test.each([
  ["zstd", zstdCompressSync],
  ["gzip", gzipSync],
])("all frames of a body in %s are decoded, however they arrive", async (coding, encode) => {
  const frames = [json.subarray(0, 10), json.subarray(10, 150_000), json.subarray(150_000)];
  const encoded = Buffer.concat(frames.map((frame) => encode(frame)));
  const headers = `content-encoding: ${coding}\r\n`;
  const whole = await sendAndRead(`${headers}content-length: ${encoded.length}`, [encoded]);
  expect(whole.body.equals(json)).toBe(true);
  const parts = await sendAndRead(`${headers}transfer-encoding: chunked`, chunked(encoded));
  expect(parts.body.equals(json)).toBe(true);
});

test.each([
  ["zstd", zstdCompressSync, Buffer.from("garbage")],
  ["zstd", zstdCompressSync, zstdCompressSync(json).subarray(0, -1)],
  ["gzip", gzipSync, Buffer.from("garbage")],
  ["gzip", gzipSync, Buffer.alloc(3)],
  ["deflate", deflateSync, deflateSync("{}")],
  ["br", brotliCompressSync, Buffer.from("garbage")],
  [
    "zstd",
    zstdCompressSync,
    Buffer.concat(Array.from({ length: 1_024 }, () => zstdCompressSync(""))),
  ],
])("a body in %s with what is no frame behind it is rejected", async (coding, encode, more) => {
  const encoded = Buffer.concat([encode("{}"), more]);
  const headers = `content-encoding: ${coding}\r\ncontent-length: ${encoded.length}`;
  const reading = sendAndRead(headers, [encoded]);
  await expect(reading).rejects.toMatchObject({
    code: "invalid_json",
    message: "The body could not be read.",
  });
});

test("a frame of zstd with a window of more than 8 MiB is rejected", async () => {
  const large = Buffer.alloc(9 * 1024 * 1024, "0");
  const send = (windowLog: number) => {
    const params = { [constants.ZSTD_c_windowLog]: windowLog };
    const encoded = zstdCompressSync(large, { params });
    return sendAndRead(`content-encoding: zstd\r\ncontent-length: ${encoded.length}`, [encoded]);
  };
  expect((await send(23)).body.length).toBe(large.length);
  await expect(send(24)).rejects.toMatchObject({
    code: "invalid_json",
    message: "The body could not be read. Its zstd frame has a window of more than 8 MiB.",
  });
});

const zeros = Buffer.alloc(3_000_000, "0");
const smallZeros = gzipSync(zeros);

test.each([
  ["plain", `content-length: ${zeros.length}`, split(zeros, 100_000)],
  ["compressed", `content-encoding: gzip\r\ncontent-length: ${smallZeros.length}`, [smallZeros]],
])("a body whose memory is refused midway is not read further: %s", async (_, headers, chunks) => {
  const refusal = new GatewayError("no_provider_available", "full");
  let reserved = 0;
  const grow = (bytes: number) => {
    if (reserved + bytes > 1_000_000) throw refusal;
    reserved += bytes;
  };
  await expect(sendAndRead(headers, chunks, false, grow)).rejects.toBe(refusal);
  expect(reserved).toBeGreaterThan(800_000);
});

test("a body that is larger than the largest when it is decoded is refused", async () => {
  const bomb = gzipSync(Buffer.alloc(33 * 1024 * 1024));
  const headers = `content-encoding: gzip\r\ncontent-length: ${bomb.length}`;
  await expect(sendAndRead(headers, [bomb])).rejects.toMatchObject({
    message: "The body is larger than 33554432 bytes.",
  });
});

test("a body of many chunks takes little more memory than its size", async () => {
  const { body, grownBytes } = await sendAndRead(
    "transfer-encoding: chunked",
    chunked(Buffer.alloc(1_000_000, " ")),
  );
  expect(body.length).toBe(1_000_000);
  expect(grownBytes).toBeLessThan(100_000_000);
});

test.each([
  ["is not gzip", "content-encoding: gzip\r\ncontent-length: 5", [Buffer.from("plain")]],
])("a body that %s is rejected", async (_, headers, chunks) => {
  await expect(sendAndRead(headers, chunks)).rejects.toMatchObject({ code: "invalid_json" });
});

test("a body in a coding that is not decoded is a 415 that names it", async () => {
  const reading = sendAndRead("content-encoding: compress\r\ncontent-length: 2", [
    Buffer.from("{}"),
  ]);
  await expect(reading).rejects.toMatchObject({
    code: "invalid_json",
    status: 415,
    message: expect.stringContaining('"compress"'),
  });
});

test.each([
  ["content-length: 10", "{"],
  ["transfer-encoding: chunked", "1\r\n{\r\n"],
  ["content-encoding: gzip\r\ntransfer-encoding: chunked", "1\r\n{\r\n"],
])("a body that is cut off is rejected: %s", async (headers, start) => {
  const reading = sendAndRead(headers, [Buffer.from(start)], true);
  await expect(reading).rejects.toMatchObject({ code: "invalid_json" });
});

test("the body of a client that disconnected before it is read is rejected", async () => {
  const req = new IncomingMessage(new Socket());
  req.headers["transfer-encoding"] = "chunked";
  req.destroy();
  await expect(readBody({ req } as RequestContext, { grow() {} })).rejects.toMatchObject({
    code: "invalid_json",
  });
});

test.each([
  ["", "The body is empty: a JSON object is required."],
  ["{", "The body is not JSON: it has an error at line 1, column 2."],
  ['{"a":', "The body is not JSON: it ends before its last bracket or brace."],
  ['{\n"a":1,}', "The body is not JSON: it has an error at line 2, column 7."],
  ['{"a": x}', "The body is not JSON: it has an unexpected 'x'."],
  ['{"a": "a secret", "b": NaN}', "The body is not JSON: it has an unexpected 'N'."],
  ["[]", "The body must be a JSON object."],
])("the error of the body %j says what is wrong", (text, message) => {
  expect(() => parseJsonObject(new RequestBody([Buffer.from(text)]))).toThrow(
    expect.objectContaining({ code: "invalid_json", message }),
  );
});
