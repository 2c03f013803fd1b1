import type { Receiver } from "./copy-socket.ts";

/** The CopyOutResponse that starts a COPY of one column in the binary format. */
const opening = Buffer.from("48000000090100010001", "hex");
/** The head of a message: its type, and a length that includes itself but not the type. */
const headBytes = 5;
const lengthBytes = 4;
const copyData = "d".charCodeAt(0);

/**
 * Receives the messages of a COPY that has been requested. Each message is copied once, from the
 * connection to its own buffer. At any other message, which is the end, an error or a notice, it
 * leaves that message and all that follows to the driver. After a notice, the driver reports the
 * remaining messages of the COPY.
 */
export class CopyReceiver implements Receiver {
  readonly #messages: Buffer[];
  readonly #head = Buffer.alloc(headBytes);
  /** What is being received: the opening, then a head and its message in turn. */
  #part: Buffer = Buffer.alloc(opening.byteLength);
  #bytes = 0;
  #isMessage = false;

  /** Adds the messages to `messages`. */
  constructor(messages: Buffer[]) {
    this.#messages = messages;
  }

  target(): Uint8Array | undefined {
    return this.#isMessage && !this.#isComplete() ? this.#part.subarray(this.#bytes) : undefined;
  }

  advance(bytes: number): void {
    this.#bytes += bytes;
    if (this.#isComplete()) this.#next();
  }

  receive(bytes: Buffer): Buffer | undefined {
    let rest = bytes;
    while (rest.byteLength > 0) {
      const copied = rest.copy(this.#part, this.#bytes);
      this.#bytes += copied;
      rest = rest.subarray(copied);
      if (this.#isComplete() && !this.#next()) return Buffer.concat([this.#part, rest]);
    }
    return undefined;
  }

  #isComplete(): boolean {
    return this.#bytes === this.#part.byteLength;
  }

  /** Goes on to the next part. Returns false when the complete one does not belong to a COPY. */
  #next(): boolean {
    if (this.#isMessage) this.#messages.push(this.#part);
    else if (this.#part === this.#head) return this.#startMessage();
    else if (!this.#part.equals(opening)) return false;
    this.#start(this.#head, false);
    return true;
  }

  #startMessage(): boolean {
    if (this.#head[0] !== copyData) return false;
    const length = this.#head.readUInt32BE(1) - lengthBytes;
    this.#start(Buffer.allocUnsafe(length), true);
    return true;
  }

  #start(part: Buffer, isMessage: boolean): void {
    this.#part = part;
    this.#bytes = 0;
    this.#isMessage = isMessage;
  }
}
