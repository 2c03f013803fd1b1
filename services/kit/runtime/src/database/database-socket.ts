import { Socket } from "node:net";

/** How much is read at once, where it has no place of its own. */
const bufferBytes = 64 * 1024;

/** Takes what the server sends, in place of the driver. */
export interface Receiver {
  /** Where what comes next is to lie, if that is known. Never empty. */
  place(): Uint8Array | undefined;
  /** So many bytes more lie there. */
  placed(bytes: number): void;
  /**
   * Takes what came and copies what it keeps. Answers what is not its own, if anything: the driver
   * goes on from there.
   */
  take(bytes: Buffer): Buffer | undefined;
}

/**
 * A driver's connection to Postgres that reads into one buffer again and again. A plain one has new
 * memory for every read, which costs more than to read where there are megabytes.
 */
export class DatabaseSocket extends Socket {
  #receiver: Receiver | undefined;

  constructor() {
    const buffer = Buffer.allocUnsafeSlow(bufferBytes);
    super({
      onread: {
        buffer: () => this.#receiver?.place() ?? buffer,
        callback: (bytes, read) => {
          if (read === buffer) this.#pass(buffer.subarray(0, bytes));
          else this.#receiver?.placed(bytes);
          return true;
        },
      },
    });
  }

  /** From now on, what comes is the receiver's, until it answers with what is not. */
  divert(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  #pass(bytes: Buffer): void {
    const rest = this.#receiver === undefined ? bytes : this.#receiver.take(bytes);
    if (rest === undefined) return;
    this.#receiver = undefined;
    // The driver keeps the beginning of what has not come whole.
    this.emit("data", Buffer.from(rest));
  }
}
