/** The largest JSON body that any route reads, decoded. */
export const maxBodyBytes = 32 * 1024 * 1024;

/**
 * The chunks of a body of at most this size are joined in a buffer that all requests share. A buffer
 * for each body would bring V8's next marking of the whole heap closer, which costs more than a copy.
 */
const sharedBytes = 1024 * 1024;

let shared: Buffer | undefined;
let isShared = false;

/** The body of a request, in the chunks in which it arrived until they are joined. */
export class RequestBody {
  #chunks: readonly Buffer[];
  readonly byteLength: number;

  constructor(chunks: readonly Buffer[]) {
    this.#chunks = chunks;
    this.byteLength = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  get chunks(): readonly Buffer[] {
    return this.#chunks;
  }

  /**
   * Calls `read` with the body in one buffer, and returns its result. `read` must be synchronous, and
   * must not keep the buffer: other bodies are in it afterwards.
   */
  use<Result>(read: (text: Buffer) => Result): Result {
    const { byteLength } = this;
    const chunks = this.#chunks;
    if (chunks.length <= 1 || byteLength > sharedBytes || isShared) return read(this.joined());
    shared ??= Buffer.allocUnsafeSlow(sharedBytes);
    let end = 0;
    for (const chunk of chunks) end += chunk.copy(shared, end);
    isShared = true;
    try {
      return read(shared.subarray(0, end));
    } finally {
      isShared = false;
    }
  }

  /** Returns the body in one buffer, which takes the place of its chunks. */
  joined(): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && this.#chunks.length === 1) return first;
    const joined = Buffer.concat(this.#chunks, this.byteLength);
    this.#chunks = [joined];
    return joined;
  }

  /** Returns the bytes from `start` up to `end` as slices of the chunks, without a copy. */
  slice(start: number, end: number): Uint8Array[] {
    const slices: Uint8Array[] = [];
    let at = 0;
    for (const chunk of this.#chunks) {
      if (start < at + chunk.length && end > at) {
        slices.push(chunk.subarray(Math.max(start - at, 0), end - at));
      }
      at += chunk.length;
    }
    return slices;
  }
}
