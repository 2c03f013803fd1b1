import { once } from "node:events";
import { createServer, IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import type { Exchange } from "./exchange.ts";
import { readBody } from "./json-body.ts";

interface ReadBody {
  body: Buffer;
  /** What the process took more than before, when the body had come. */
  grownBytes: number;
}

/** What is read of a body that a client sends so, under such headers. */
async function readOf(
  headers: string,
  chunks: readonly Buffer[],
  isCutOff = false,
): Promise<ReadBody> {
  const before = process.memoryUsage.rss();
  const server = createServer();
  const reading = new Promise<ReadBody>((resolve, reject) => {
    server.on("request", (req: IncomingMessage, res: ServerResponse) => {
      readBody({ req, res } as Exchange)
        .then((body) => resolve({ body, grownBytes: process.memoryUsage.rss() - before }), reject)
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

const piecesOf = (bytes: Buffer, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );

/** Each byte as a chunk of its own, many of them in one write. */
function chunked(bytes: Buffer): Buffer[] {
  const text = Array.from(bytes, (byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join("");
  return piecesOf(Buffer.from(`${text}0\r\n\r\n`, "latin1"), 65_536);
}

const some = Buffer.from(JSON.stringify({ text: "é".repeat(100_000) }));
const packed = gzipSync(some);

test.each([
  ["under its length", `content-length: ${some.length}`, piecesOf(some, 10_000)],
  ["under its length, bit by bit", `content-length: ${some.length}`, piecesOf(some, 3)],
  ["in chunks of one byte", "transfer-encoding: chunked", chunked(some)],
  ["packed", `content-encoding: gzip\r\ncontent-length: ${packed.length}`, [packed]],
  [
    "packed, in chunks of one byte",
    "content-encoding: gzip\r\ntransfer-encoding: chunked",
    chunked(packed),
  ],
])("a body that comes %s is read as it is", async (_, headers, chunks) => {
  const { body } = await readOf(headers, chunks);
  expect(body.equals(some)).toBe(true);
});

test("a body of many chunks takes little more memory than its bytes", async () => {
  const { body, grownBytes } = await readOf(
    "transfer-encoding: chunked",
    chunked(Buffer.alloc(1_000_000, " ")),
  );
  expect(body.length).toBe(1_000_000);
  expect(grownBytes).toBeLessThan(100_000_000);
});

test.each([
  ["is no gzip", "content-encoding: gzip\r\ncontent-length: 5", [Buffer.from("plain")]],
  ["is packed in no known way", "content-encoding: x\r\ncontent-length: 2", [Buffer.from("{}")]],
])("one that %s cannot be read", async (_, headers, chunks) => {
  await expect(readOf(headers, chunks)).rejects.toMatchObject({ code: "invalid_json" });
});

test.each([
  ["content-length: 10", "{"],
  ["transfer-encoding: chunked", "1\r\n{\r\n"],
  ["content-encoding: gzip\r\ntransfer-encoding: chunked", "1\r\n{\r\n"],
])("nor can one that is cut off: %s", async (headers, start) => {
  const reading = readOf(headers, [Buffer.from(start)], true);
  await expect(reading).rejects.toMatchObject({ code: "invalid_json" });
});

test("nor can one of a client that has gone before it is read", async () => {
  const req = new IncomingMessage(new Socket());
  req.headers["transfer-encoding"] = "chunked";
  req.destroy();
  await expect(readBody({ req } as Exchange)).rejects.toMatchObject({ code: "invalid_json" });
});
