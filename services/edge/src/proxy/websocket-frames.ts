/** Tracks the WebSocket frames in a byte stream, which it does not change. */
export interface FrameTracker {
  push(chunk: Buffer): void;
  /**
   * Returns whether a message may be added here: no message is incomplete, and no close frame was
   * sent.
   */
  isOpen(): boolean;
}

const textOpcode = 1;
const closeOpcode = 8;
const finalBit = 0x80;
/** More than an error of a service has. */
const maxTextBytes = 8_192;

/**
 * Creates a tracker for the frames of a server, which are not masked. Calls `onFirstText` with the first text
 * message, unless it is long.
 */
export function createFrameTracker(onFirstText?: (text: string) => void): FrameTracker {
  const head: number[] = [];
  let payloadLeft = 0;
  let isWithinMessage = false;
  let isClosed = false;
  let hasText = onFirstText === undefined;
  /** The parts of the first text message, while it is read. */
  let firstText: Buffer[] | undefined;

  function readHead(): void {
    const [first = 0, second = 0] = head;
    const short = second & 0x7f;
    const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8;
    if (head.length < 2 + lengthBytes) return;
    const long = head.slice(2).reduce((length, byte) => length * 256 + byte, 0);
    payloadLeft = lengthBytes === 0 ? short : long;
    const opcode = first & 0x0f;
    isClosed ||= opcode === closeOpcode;
    if (opcode < closeOpcode) isWithinMessage = (first & finalBit) === 0;
    if (opcode === textOpcode && !hasText) beginText();
    head.length = 0;
  }

  function beginText(): void {
    hasText = true;
    if (!isWithinMessage && payloadLeft <= maxTextBytes) firstText = [];
  }

  function addText(part: Buffer): void {
    if (firstText === undefined) return;
    firstText.push(Buffer.from(part));
    if (payloadLeft > 0) return;
    onFirstText?.(Buffer.concat(firstText).toString());
    firstText = undefined;
  }

  return {
    push(chunk) {
      for (let at = 0; at < chunk.length; ) {
        if (payloadLeft > 0) {
          const skipped = Math.min(payloadLeft, chunk.length - at);
          payloadLeft -= skipped;
          addText(chunk.subarray(at, at + skipped));
          at += skipped;
          continue;
        }
        head.push(chunk[at] ?? 0);
        at += 1;
        if (head.length >= 2) readHead();
      }
    },
    isOpen: () => payloadLeft === 0 && head.length === 0 && !isWithinMessage && !isClosed,
  };
}

/** WebSocket close codes (RFC 6455, 7.4.1). */
export const closeCodes = { policyViolation: 1_008, internalError: 1_011 } as const;

/** Returns a text frame with a last message, and the close frame of a stream that ends early. */
export function closingFrames(message: object, code: number): Buffer {
  const text = Buffer.from(JSON.stringify(message));
  const head = Buffer.from([finalBit | 1, 126, 0, 0]);
  head.writeUInt16BE(text.length, 2);
  const close = Buffer.from([finalBit | closeOpcode, 2, 0, 0]);
  close.writeUInt16BE(code, 2);
  return Buffer.concat([head, text, close]);
}
