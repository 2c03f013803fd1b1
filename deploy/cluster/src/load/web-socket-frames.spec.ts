import { expect, test } from "vitest";
import { clientFrame, opcodes, readFrames } from "./web-socket-frames.ts";

/** Returns a server's frame, which has no mask. */
function serverFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.from([0x81, payload.length < 126 ? payload.length : 126, 0, 0]);
  if (payload.length < 126) return Buffer.concat([head.subarray(0, 2), payload]);
  head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

test("frames are read as they become complete", () => {
  const long = "x".repeat(300);
  const data = Buffer.concat([serverFrame("one"), serverFrame(long), serverFrame("three")]);
  const texts: string[] = [];
  let rest: Buffer = Buffer.alloc(0);
  for (const byte of data) {
    const read = readFrames(Buffer.concat([rest, Buffer.from([byte])]));
    texts.push(...read.frames.map(({ payload }) => payload.toString()));
    rest = read.rest;
  }
  expect(texts).toEqual(["one", long, "three"]);
  expect(rest).toHaveLength(0);
});

test("a client's frame says that it is masked, and its length", () => {
  expect([...clientFrame(opcodes.text, Buffer.from("a")).subarray(0, 2)]).toEqual([0x81, 0x81]);
  const audio = clientFrame(opcodes.binary, Buffer.alloc(3_200));
  expect([...audio.subarray(0, 4)]).toEqual([0x82, 0xfe, 0x0c, 0x80]);
  expect(audio).toHaveLength(3_200 + 8);
});
