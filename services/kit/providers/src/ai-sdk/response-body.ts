import { WholeStream } from "@tollgate/upstream/whole-stream";

/**
 * The body of a response that was asked for as a stream. It ends without any event where the response is
 * one JSON value instead, which is collected.
 */
export class ResponseBody implements AsyncIterableIterator<Buffer> {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #whole = new WholeStream();

  constructor(body: AsyncIterable<Buffer>) {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /** Returns the value; undefined for a stream. Throws a SlotFailure for one that is cut. */
  value(): unknown {
    return this.#whole.isWhole ? this.#whole.value() : undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Buffer>> {
    return this.#whole.isStream ? this.#chunks.next() : this.#begin();
  }

  async return(): Promise<IteratorResult<Buffer>> {
    await this.#chunks.return?.();
    return { done: true, value: undefined };
  }

  async #begin(): Promise<IteratorResult<Buffer>> {
    for (;;) {
      const read = await this.#chunks.next();
      if (read.done === true || !this.#whole.add(read.value)) return read;
    }
  }
}
