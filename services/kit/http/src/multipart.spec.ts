import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { GatewayError } from "@tollgate/core/errors";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readMultipart } from "./multipart.ts";

const boundary = "b-1";
const valid = Buffer.from(
  [
    `--${boundary}`,
    'Content-Disposition: form-data; name="model"',
    "",
    "some-model",
    `--${boundary}`,
    'Content-Disposition: form-data; name="file"; filename="a.wav"',
    "Content-Type: audio/L16;rate=16000",
    "",
    "samples\r\n--b and more",
    `--${boundary}--`,
    "",
  ].join("\r\n"),
);

/** Reads a body that arrives in chunks, which end at `cuts`. With `cutOff`, the client then aborts. */
async function read(body: Buffer, cuts: readonly number[], cutOff = false) {
  const stream = new PassThrough();
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
  const req = Object.assign(stream, { headers }) as unknown as IncomingMessage;
  const raw: Buffer[] = [];
  const files: Buffer[] = [];
  const reading = readMultipart(req, {
    async takeFile(_name, contents) {
      for await (const chunk of contents) files.push(chunk);
    },
    async takeChunk(chunk) {
      raw.push(chunk);
    },
  });
  let from = 0;
  for (const to of [...cuts, body.length]) {
    stream.write(body.subarray(from, to));
    from = to;
  }
  if (cutOff) stream.emit("aborted");
  else stream.end();
  return { parts: await reading, files: Buffer.concat(files), raw: Buffer.concat(raw) };
}

const cutsOf = (body: Buffer) =>
  fc.array(fc.nat(body.length), { maxLength: 20 }).map((all) => all.sort((a, b) => a - b));

test("a form is read the same in any chunks, and its body is passed on unchanged", async () => {
  const offset = valid.indexOf("samples");
  await fc.assert(
    fc.asyncProperty(cutsOf(valid), async (cuts) => {
      const { parts, files, raw } = await read(valid, cuts);
      expect(parts).toEqual([
        { kind: "field", name: "model", value: "some-model" },
        {
          kind: "file",
          name: "file",
          contentType: "audio/L16;rate=16000",
          fileName: "a.wav",
          offset,
        },
      ]);
      expect(files.toString()).toBe("samples\r\n--b and more");
      expect(raw.equals(valid)).toBe(true);
    }),
  );
});

test("a damaged form is read or refused with 400, and never hangs", async () => {
  const damage = fc.record({
    at: fc.nat(valid.length),
    length: fc.nat(12),
    bytes: fc.oneof(
      fc.uint8Array({ maxLength: 12 }),
      fc.constantFrom("\r\n", `--${boundary}`, "--", '"', ";", "\0", "\r\n\r\n").map(Buffer.from),
    ),
  });
  const property = fc.asyncProperty(
    fc.array(damage, { minLength: 1, maxLength: 4 }),
    fc.boolean(),
    cutsOf(valid),
    async (damages, cutOff, cuts) => {
      let body = valid;
      for (const { at, length, bytes } of damages) {
        body = Buffer.concat([body.subarray(0, at), bytes, body.subarray(at + length)]);
      }
      const places = cuts.map((place) => Math.min(place, body.length));
      const outcome = await read(body, places, cutOff).catch((error: unknown) => error);
      if (outcome instanceof Error) {
        expect(outcome).toBeInstanceOf(GatewayError);
        expect(outcome).toMatchObject({ status: 400 });
      }
    },
  );
  await fc.assert(property, { numRuns: 2_000 });
}, 240_000);

test.each([
  [
    "padding after a boundary",
    `--b \r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--b--\r\n`,
    "multipart/form-data; boundary=b",
    "white space after one of its boundaries",
  ],
  ["a form that is not multipart", "a=x", "application/x-www-form-urlencoded", "its Content-Type"],
  [
    "a file that begins after the end of the form",
    `--b--\r\n--b\r\n--b\r\nContent-Disposition: form-data; name=a; filename=a\r\n\r\nx`,
    "multipart/form-data; boundary=b",
    "it ends before its last boundary",
  ],
  [
    "a file that contains only boundaries",
    `--b\r\nContent-Disposition: form-data; name=a; filename=a\r\n\r\n--b\r\n--\r\n--b--\r\n`,
    "multipart/form-data; boundary=b",
    "not preceded by a line end",
  ],
  ["no boundary", "--b--", "multipart/form-data", "its Content-Type has no boundary"],
  [
    "a boundary with an escape",
    "--x;y--",
    'multipart/form-data; boundary="x\\;y"',
    "ambiguous boundary",
  ],
])("%s is refused with its reason", async (_, body, contentType, reason) => {
  const stream = new PassThrough();
  const req = Object.assign(stream, { headers: { "content-type": contentType } });
  stream.end(body);
  const reading = readMultipart(req as unknown as IncomingMessage, { takeFile: async () => {} });
  await expect(reading).rejects.toThrow(reason);
});

/** Reads a form of one field. */
function readField(head: string, value: string) {
  const body = `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n--b--`;
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  const req = Object.assign(new PassThrough(), { headers });
  req.end(body);
  return readMultipart(req as unknown as IncomingMessage, { takeFile: async () => {} });
}

test("the value of a field that is too long is dropped", async () => {
  const parts = await readField("name=prompt", "x".repeat(70_000));
  expect(parts).toEqual([{ kind: "oversized", name: "prompt" }]);
});

test.each([
  "binary",
  "US-ASCII",
  "iso-8859-1",
  "utf-16le",
  '"utf-8"; charset=utf-16',
  "utf-7",
])("a field in the charset %s is refused, and the error names it", async (charset) => {
  const type = `Content-Type: text/plain; charset=${charset}`;
  const reading = readField(`name=language\r\n${type}`, "de");
  await expect(reading).rejects.toMatchObject({ code: "invalid_json", param: "language" });
});

test.each([
  "text/plain",
  "text/plain; charset=UTF-8",
  'text/plain; charset="utf8"',
])("a field of the type %s is read", async (type) => {
  const parts = await readField(`name=a\r\nContent-Type: ${type}`, "dé");
  expect(parts).toEqual([{ kind: "field", name: "a", value: "dé" }]);
});
