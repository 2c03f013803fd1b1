import { crc32 } from "node:zlib";

/**
 * Returns an event in AWS's framing: its length and that of its headers with their checksum, the headers,
 * the payload, and the checksum of all. https://smithy.io/2.0/aws/amazon-eventstream.html
 */
export function awsFrame(headers: Readonly<Record<string, string>>, payload: object): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(JSON.stringify(payload));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(16 + head.length + body.length, 0);
  lengths.writeUInt32BE(head.length, 4);
  const message = Buffer.concat([lengths, checksum(lengths), head, body]);
  return Buffer.concat([message, checksum(message)]);
}

/** Returns an event of a stream. */
export function eventFrame(type: string, payload: object): Buffer {
  const headers = {
    ":event-type": type,
    ":content-type": "application/json",
    ":message-type": "event",
  };
  return awsFrame(headers, { ...payload, p: "abcdefghijkl" });
}

/** Returns an exception in a stream, such as `throttlingException`. */
export function exceptionFrame(type: string, message: string): Buffer {
  const headers = {
    ":exception-type": type,
    ":content-type": "application/json",
    ":message-type": "exception",
  };
  return awsFrame(headers, { message });
}

const stringType = 7;

function header(name: string, value: string): Buffer {
  const text = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([stringType]),
    length,
    text,
  ]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
