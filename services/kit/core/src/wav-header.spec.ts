import { expect, test } from "vitest";
import { readWavHeader } from "./wav-header.ts";

function chunk(id: string, contents: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(id, 0, "latin1");
  head.writeUInt32LE(contents.length, 4);
  return Buffer.concat([head, contents, Buffer.alloc(contents.length % 2)]);
}

function fmt(tag: number, more: Buffer = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16LE(tag, 0);
  bytes.writeUInt16LE(1, 2);
  bytes.writeUInt32LE(16_000, 4);
  bytes.writeUInt32LE(32_000, 8);
  bytes.writeUInt16LE(2, 12);
  bytes.writeUInt16LE(16, 14);
  return chunk("fmt ", Buffer.concat([bytes, more]));
}

function wav(...chunks: Buffer[]): Buffer {
  return chunk("RIFF", Buffer.concat([Buffer.from("WAVE"), ...chunks]));
}

const data = chunk("data", Buffer.alloc(64_000));
const read = {
  format: 1,
  sampleRate: 16_000,
  channels: 1,
  bitsPerSample: 16,
  bytesPerSecond: 32_000,
};

test("the header of a plain WAV has the format and the offset of the samples", () => {
  expect(readWavHeader(wav(fmt(1), data))).toEqual({ ...read, dataOffset: 44, dataBytes: 64_000 });
});

test("chunks before the samples are skipped with their padding to an even length", () => {
  const file = wav(chunk("LIST", Buffer.alloc(27)), fmt(1), chunk("fact", Buffer.alloc(4)), data);
  expect(readWavHeader(file)).toEqual({
    ...read,
    dataOffset: 44 + 8 + 28 + 8 + 4,
    dataBytes: 64_000,
  });
});

test("the format of an extensible header is that of its sub-format", () => {
  const more = Buffer.alloc(24);
  more.writeUInt16LE(22, 0);
  more.writeUInt16LE(1, 8);
  expect(readWavHeader(wav(fmt(0xfffe, more), data))?.format).toBe(1);
});

test.each([
  ["nothing", Buffer.alloc(0)],
  ["another container", Buffer.from("OggS and so on, for long enough")],
  ["no samples", wav(fmt(1))],
  ["samples before the format", wav(data, fmt(1))],
  ["a truncated header", wav(fmt(1), data).subarray(0, 30)],
  [
    "a chunk that is longer than the file",
    wav(Buffer.from("LIST\xff\xff\xff\xff", "latin1"), fmt(1), data),
  ],
])("%s has no WAV header that can be read", (_, file) => {
  expect(readWavHeader(file)).toBeUndefined();
});

test.each([0, 0xffffffff])("a size of %i counts as unknown", (size) => {
  const file = wav(fmt(1), data);
  file.writeUInt32LE(size, 40);
  expect(readWavHeader(file)?.dataBytes).toBeUndefined();
});
