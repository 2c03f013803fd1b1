import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { gatherChunks } from "./gather-chunks.ts";

test("a body in single bytes is joined into chunks of 64 KiB and a last one, unchanged", async () => {
  const body = Buffer.from(Uint8Array.from({ length: 150_000 }, (_, index) => index % 251));
  const source = new PassThrough();
  const gathered = source.pipe(gatherChunks());
  const chunks: Buffer[] = [];
  gathered.on("data", (chunk: Buffer) => chunks.push(chunk));
  for (let at = 0; at < body.length; at += 1) source.write(body.subarray(at, at + 1));
  source.end();
  await new Promise((resolve) => gathered.once("end", resolve));
  expect(chunks.map(({ length }) => length)).toEqual([65_536, 65_536, 18_928]);
  expect(Buffer.concat(chunks).equals(body)).toBe(true);
});

test("the source waits while no chunk is read", async () => {
  const source = new PassThrough();
  source.pipe(gatherChunks());
  let sent = 0;
  while (sent < 64 && source.write(Buffer.alloc(65_536))) {
    sent += 1;
    for (let turns = 0; turns < 5; turns += 1) await turn();
  }
  expect(sent).toBeLessThan(8);
});
