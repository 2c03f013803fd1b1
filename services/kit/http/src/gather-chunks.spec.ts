import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { gatherChunks } from "./gather-chunks.ts";

test("a body in single bytes comes out in pieces of 64 KiB and a rest, as it stands", async () => {
  const body = Buffer.from(Uint8Array.from({ length: 150_000 }, (_, index) => index % 251));
  const source = new PassThrough();
  const gathered = source.pipe(gatherChunks());
  const pieces: Buffer[] = [];
  gathered.on("data", (piece: Buffer) => pieces.push(piece));
  for (let at = 0; at < body.length; at += 1) source.write(body.subarray(at, at + 1));
  source.end();
  await new Promise((resolve) => gathered.once("end", resolve));
  expect(pieces.map(({ length }) => length)).toEqual([65_536, 65_536, 18_928]);
  expect(Buffer.concat(pieces).equals(body)).toBe(true);
});

test("while no piece is taken the source waits", async () => {
  const source = new PassThrough();
  source.pipe(gatherChunks());
  let sent = 0;
  while (sent < 64 && source.write(Buffer.alloc(65_536))) {
    sent += 1;
    for (let look = 0; look < 5; look += 1) await turn();
  }
  expect(sent).toBeLessThan(8);
});
