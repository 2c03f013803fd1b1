import { crc32 } from "node:zlib";

/**
 * An event in AWS's framing: its length and that of its headers with their checksum, the headers, the
 * payload, and the checksum of all. https://smithy.io/2.0/aws/amazon-eventstream.html
 */
export interface EventFrame {
  /** The headers that are text. */
  headers: ReadonlyMap<string, string>;
  payload: string;
}

/** The parts of an event besides its headers and its payload: lengths and checksums. */
export const leastFrameBytes = 16;

const preludeBytes = 12;
const checksumBytes = 4;

/** The types of headers: how many bytes their values have. Texts and bytes begin with their length. */
const valueBytes: ReadonlyMap<number, number> = new Map([
  [0, 0],
  [1, 0],
  [2, 1],
  [3, 2],
  [4, 4],
  [5, 8],
  [8, 8],
  [9, 16],
]);
const textType = 7;

/** Reads a complete event. Throws where it is not valid. */
export function readFrame(bytes: Buffer): EventFrame {
  const headerBytes = bytes.readUInt32BE(4);
  const end = bytes.length - checksumBytes;
  if (bytes.readUInt32BE(8) !== crc32(bytes.subarray(0, 8))) throw new RangeError("checksum");
  if (bytes.readUInt32BE(end) !== crc32(bytes.subarray(0, end))) throw new RangeError("checksum");
  const payloadAt = preludeBytes + headerBytes;
  if (payloadAt > end) throw new RangeError("headers");
  const headers = readHeaders(bytes.subarray(preludeBytes, payloadAt));
  return { headers, payload: bytes.toString("utf8", payloadAt, end) };
}

function readHeaders(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    const name = bytes.toString("utf8", at + 1, nameEnd);
    const type = bytes.readUInt8(nameEnd);
    const fixed = valueBytes.get(type);
    const valueAt = nameEnd + (fixed === undefined ? 3 : 1);
    at = valueAt + (fixed ?? bytes.readUInt16BE(nameEnd + 1));
    if (type === textType) headers.set(name, bytes.toString("utf8", valueAt, at));
  }
  return headers;
}

/** Returns an event with a payload. */
export function writeFrame({ headers, payload }: EventFrame): Buffer {
  const texts = [...headers].map(([name, value]) => writeHeader(name, value));
  const head = Buffer.concat(texts);
  const body = Buffer.from(payload);
  const bytes = Buffer.alloc(leastFrameBytes + head.length + body.length);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(head.length, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  head.copy(bytes, preludeBytes);
  body.copy(bytes, preludeBytes + head.length);
  const end = bytes.length - checksumBytes;
  bytes.writeUInt32BE(crc32(bytes.subarray(0, end)), end);
  return bytes;
}

function writeHeader(name: string, value: string): Buffer {
  const named = Buffer.from(name);
  const text = Buffer.from(value);
  const head = Buffer.alloc(named.length + 4);
  head.writeUInt8(named.length, 0);
  named.copy(head, 1);
  head.writeUInt8(textType, named.length + 1);
  head.writeUInt16BE(text.length, named.length + 2);
  return Buffer.concat([head, text]);
}
