/**
 * Bodies of at most this size are read in a buffer that all requests share. Every buffer of a large
 * body's own brings V8's next marking of the whole heap closer, which costs more than to copy it.
 */
const sharedBytes = 1024 * 1024;

let shared: Buffer | undefined;
let isShared = false;

/** The body of a request, in the chunks in which it arrived. */
export class RequestBody {
  readonly chunks: readonly Buffer[];
  readonly byteLength: number;

  constructor(chunks: readonly Buffer[]) {
    this.chunks = chunks;
    this.byteLength = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  /**
   * Returns what `use` returns for the body in one buffer. The buffer must not be used after `use`
   * has returned, since other bodies may be in it then.
   */
  use<Result>(use: (text: Buffer) => Result): Result {
    const { chunks, byteLength } = this;
    if (chunks.length <= 1 || byteLength > sharedBytes || isShared) return use(this.joined());
    shared ??= Buffer.allocUnsafeSlow(sharedBytes);
    let end = 0;
    for (const chunk of chunks) end += chunk.copy(shared, end);
    isShared = true;
    try {
      return use(shared.subarray(0, end));
    } finally {
      isShared = false;
    }
  }

  /** Returns the body in one buffer, which is a copy if it arrived in several chunks. */
  joined(): Buffer {
    const [first] = this.chunks;
    if (first !== undefined && this.chunks.length === 1) return first;
    return Buffer.concat(this.chunks, this.byteLength);
  }

  /** Returns the bytes from `start` up to `end` as slices of the chunks, without a copy. */
  slice(start: number, end: number): Uint8Array[] {
    const slices: Uint8Array[] = [];
    let at = 0;
    for (const chunk of this.chunks) {
      if (start < at + chunk.length && end > at) {
        slices.push(chunk.subarray(Math.max(start - at, 0), end - at));
      }
      at += chunk.length;
    }
    return slices;
  }
}
