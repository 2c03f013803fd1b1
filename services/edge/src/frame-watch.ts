/** Follows the WebSocket frames that a service sends, without touching them. */
export interface FrameWatch {
  push(chunk: Buffer): void;
  /** Whether another message may be said here: the last is whole, and none was the close frame. */
  readonly isOpen: boolean;
}

const closeOpcode = 8;
const finalBit = 0x80;

/** Follows the frames of a server, which are not masked. */
export function watchFrames(): FrameWatch {
  const head: number[] = [];
  let rest = 0;
  let isWithinMessage = false;
  let isClosed = false;

  function readHead(): void {
    const [first = 0, second = 0] = head;
    const short = second & 0x7f;
    const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8;
    if (head.length < 2 + lengthBytes) return;
    const long = head.slice(2).reduce((length, byte) => length * 256 + byte, 0);
    rest = lengthBytes === 0 ? short : long;
    const opcode = first & 0x0f;
    isClosed ||= opcode === closeOpcode;
    if (opcode < closeOpcode) isWithinMessage = (first & finalBit) === 0;
    head.length = 0;
  }

  return {
    push(chunk) {
      for (let at = 0; at < chunk.length; ) {
        if (rest > 0) {
          const passed = Math.min(rest, chunk.length - at);
          rest -= passed;
          at += passed;
          continue;
        }
        head.push(chunk[at] ?? 0);
        at += 1;
        if (head.length >= 2) readHead();
      }
    },
    get isOpen() {
      return rest === 0 && head.length === 0 && !isWithinMessage && !isClosed;
    },
  };
}

/** Why a stream is closed, by the codes of RFC 6455, 7.4.1. */
export const closeCodes = { policyViolation: 1_008, internalError: 1_011 } as const;

/** A last message, as text, and the close frame of a stream that ends early. */
export function lastFrames(message: object, code: number): Buffer {
  const text = Buffer.from(JSON.stringify(message));
  const head = Buffer.from([finalBit | 1, 126, 0, 0]);
  head.writeUInt16BE(text.length, 2);
  const close = Buffer.from([finalBit | closeOpcode, 2, 0, 0]);
  close.writeUInt16BE(code, 2);
  return Buffer.concat([head, text, close]);
}
