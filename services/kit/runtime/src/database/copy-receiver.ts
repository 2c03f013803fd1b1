import type { Receiver } from "./database-socket.ts";

/** How a COPY of one column in the binary format is begun: a CopyOutResponse. */
const opening = Buffer.from("48000000090100010001", "hex");
/** In front of a message: its kind, and its length with that of the length, but not of the kind. */
const headBytes = 5;
const lengthBytes = 4;
const copyData = "d".charCodeAt(0);

/**
 * Reads the messages of a COPY that has been asked for. Each is copied once, from the connection to
 * where it stays. Whatever else comes is left to the driver, with all behind it: the end, an error,
 * and also a notice, whereupon the driver hands over the other messages.
 */
export class CopyReceiver implements Receiver {
  readonly #messages: Buffer[];
  readonly #head = Buffer.alloc(headBytes);
  /** What has not come whole yet: the opening, then a head and its message in turn. */
  #part: Buffer = Buffer.alloc(opening.byteLength);
  #bytes = 0;
  #isMessage = false;

  /** `messages` is what they are added to. */
  constructor(messages: Buffer[]) {
    this.#messages = messages;
  }

  place(): Uint8Array | undefined {
    return this.#isMessage && !this.#isWhole() ? this.#part.subarray(this.#bytes) : undefined;
  }

  placed(bytes: number): void {
    this.#bytes += bytes;
    if (this.#isWhole()) this.#goOn();
  }

  take(bytes: Buffer): Buffer | undefined {
    let rest = bytes;
    while (rest.byteLength > 0) {
      const copied = rest.copy(this.#part, this.#bytes);
      this.#bytes += copied;
      rest = rest.subarray(copied);
      if (this.#isWhole() && !this.#goOn()) return Buffer.concat([this.#part, rest]);
    }
    return undefined;
  }

  #isWhole(): boolean {
    return this.#bytes === this.#part.byteLength;
  }

  /** False when what came is no part of a COPY. */
  #goOn(): boolean {
    if (this.#isMessage) this.#messages.push(this.#part);
    else if (this.#part === this.#head) return this.#beginMessage();
    else if (!this.#part.equals(opening)) return false;
    this.#begin(this.#head, false);
    return true;
  }

  #beginMessage(): boolean {
    if (this.#head[0] !== copyData) return false;
    const length = this.#head.readUInt32BE(1) - lengthBytes;
    this.#begin(Buffer.allocUnsafe(length), true);
    return true;
  }

  #begin(part: Buffer, isMessage: boolean): void {
    this.#part = part;
    this.#bytes = 0;
    this.#isMessage = isMessage;
  }
}
