export const opcodes = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A complete frame of a server. */
export interface ServerFrame {
  opcode: number;
  payload: Buffer;
}

/** Returns a frame of a client, of at most 65,535 bytes. */
export function clientFrame(opcode: number, payload: Buffer): Buffer {
  // A mask of zeros leaves the payload as it is.
  const mask = Buffer.alloc(4);
  const first = 0x80 | opcode;
  const { length } = payload;
  if (length < 126) return Buffer.concat([Buffer.from([first, 0x80 | length]), mask, payload]);
  const head = Buffer.from([first, 0x80 | 126, 0, 0]);
  head.writeUInt16BE(length, 2);
  return Buffer.concat([head, mask, payload]);
}

/** Returns the complete frames at the start of the data, and the data after them. */
export function readFrames(data: Buffer): { frames: ServerFrame[]; rest: Buffer } {
  const frames: ServerFrame[] = [];
  let rest = data;
  for (;;) {
    const size = sizeOf(rest);
    if (size === undefined || rest.length < size.start + size.length) return { frames, rest };
    const end = size.start + size.length;
    frames.push({ opcode: rest.readUInt8(0) & 0x0f, payload: rest.subarray(size.start, end) });
    rest = rest.subarray(end);
  }
}

/** Returns where the payload of a frame starts, and its length. A server's frame has no mask. */
function sizeOf(data: Buffer): { start: number; length: number } | undefined {
  if (data.length < 2) return undefined;
  const length = data.readUInt8(1) & 0x7f;
  if (length < 126) return { start: 2, length };
  if (length === 126) {
    return data.length < 4 ? undefined : { start: 4, length: data.readUInt16BE(2) };
  }
  return data.length < 10 ? undefined : { start: 10, length: Number(data.readBigUInt64BE(2)) };
}
