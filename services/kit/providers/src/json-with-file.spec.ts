import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonWithFile } from "./json-with-file.ts";

const bodyOf = (url: string) => ({ model: 'a "model" of {ours}', document: { url }, more: [1] });

/** Reads a body whose file arrives in chunks. */
async function read(chunks: readonly Uint8Array[]) {
  const contents = chunks.map((chunk) => Buffer.from(chunk));
  async function* file() {
    yield* contents;
  }
  const bytes = contents.reduce((sum, { length }) => sum + length, 0);
  const { headers, body } = jsonWithFile({ bytes, read: file }, "image/png", bodyOf);
  const sent = Buffer.concat(await body.toArray());
  return { headers, sent, contents: Buffer.concat(contents) };
}

test("a file is a data URL in the body, in any chunks, and the length is known before", async () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 10 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(chunks, async (parts) => {
      const { headers, sent, contents } = await read(parts);
      expect(headers).toEqual({
        "content-type": "application/json",
        "content-length": String(sent.length),
      });
      const url = `data:image/png;base64,${contents.toString("base64")}`;
      expect(JSON.parse(sent.toString())).toEqual(bodyOf(url));
    }),
  );
});

test("a file is read while it is sent, and no further when the body is destroyed", async () => {
  const state = { read: 0, isClosed: false };
  async function* file() {
    try {
      for (; state.read < 100; state.read += 1) yield Buffer.alloc(65_536, 7);
    } finally {
      state.isClosed = true;
    }
  }
  const { body } = jsonWithFile({ bytes: 6_553_600, read: file }, "image/png", bodyOf);
  let received = 0;
  for await (const _ of body) {
    received += 1;
    if (received === 5) break;
  }
  expect(state.read).toBeLessThan(20);
  await expect.poll(() => state.isClosed).toBe(true);
});
