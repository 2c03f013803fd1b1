import { Socket } from "node:net";

/** The size of the buffer for reads that have no target. */
const bufferBytes = 64 * 1024;

/** Receives what the server sends, in place of the driver. */
export interface Receiver {
  /** Returns where the next bytes are read to, if that is known. Never empty. */
  target(): Uint8Array | undefined;
  /** Records that `bytes` bytes were read to the target. */
  advance(bytes: number): void;
  /**
   * Copies the bytes that it needs. Returns undefined while it expects more; once it is done,
   * returns the remaining bytes, which are for the driver.
   */
  receive(bytes: Buffer): Buffer | undefined;
}

/**
 * A socket for the driver's connection to Postgres that reads into one buffer, or to where a
 * receiver wants the bytes. A plain socket allocates a new buffer for every read, which costs more
 * than the read itself where there are megabytes.
 */
export class CopySocket extends Socket {
  #receiver: Receiver | undefined;

  constructor() {
    const buffer = Buffer.allocUnsafeSlow(bufferBytes);
    super({
      onread: {
        buffer: () => this.#receiver?.target() ?? buffer,
        callback: (bytes, target) => {
          if (target === buffer) this.#pass(buffer.subarray(0, bytes));
          else this.#receiver?.advance(bytes);
          return true;
        },
      },
    });
  }

  /** Passes what the server sends to the receiver, until the receiver is done. */
  redirect(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  #pass(bytes: Buffer): void {
    const rest = this.#receiver === undefined ? bytes : this.#receiver.receive(bytes);
    if (rest === undefined) return;
    this.#receiver = undefined;
    // The driver stores the beginning of an incomplete message, so it gets a copy of the buffer.
    this.emit("data", Buffer.from(rest));
  }
}
