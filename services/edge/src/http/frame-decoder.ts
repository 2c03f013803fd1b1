import { Transform, type TransformCallback } from "node:stream";
import type { BrotliDecompress, Gunzip, Inflate, ZstdDecompress } from "node:zlib";

/** What decodes one frame of a content coding. */
export type Decompress = BrotliDecompress | Gunzip | Inflate | ZstdDecompress;

/** More than clients write. Each frame takes a decoder of its own, although it may have a few bytes only. */
const maxFrames = 1_024;

/**
 * Decodes the frames of a body one after another. A decoder of Node ends with the first frame, and ignores
 * what follows it. Emits an error for bytes that are not a frame, and for a second frame where the coding has
 * only one.
 */
export class FrameDecoder extends Transform {
  readonly #create: () => Decompress;
  readonly #maxFrames: number;
  #frames = 0;
  #decoder: Decompress | undefined;

  constructor(create: () => Decompress, hasManyFrames: boolean) {
    super();
    this.#create = create;
    this.#maxFrames = hasManyFrames ? maxFrames : 1;
  }

  override _transform(chunk: Buffer, encoding: BufferEncoding, done: TransformCallback): void {
    const decoder = this.#decoder ?? this.#begin();
    if (decoder === undefined) {
      done(new Error("the body has bytes behind its end"));
      return;
    }
    const before = decoder.bytesWritten;
    decoder.write(chunk, (error) => {
      // The decoder emits it, too.
      if (error) return;
      const taken = decoder.bytesWritten - before;
      if (taken === chunk.length) done();
      else this.#end(decoder, () => this._transform(chunk.subarray(taken), encoding, done));
    });
  }

  override _flush(done: TransformCallback): void {
    const decoder = this.#decoder;
    if (decoder === undefined) {
      done();
      return;
    }
    this.#end(decoder, done);
    decoder.end();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#decoder?.destroy();
    done(error);
  }

  /** Calls `then` when all that the frame has is decoded. */
  #end(decoder: Decompress, then: () => void): void {
    const end = () => {
      decoder.destroy();
      this.#decoder = undefined;
      then();
    };
    if (decoder.readableEnded) end();
    else decoder.once("end", end);
  }

  #begin(): Decompress | undefined {
    this.#frames += 1;
    if (this.#frames > this.#maxFrames) return undefined;
    const decoder = this.#create();
    decoder.on("data", (chunk: Buffer) => {
      if (!this.push(chunk)) decoder.pause();
    });
    decoder.once("error", (error) => this.destroy(error));
    this.#decoder = decoder;
    return decoder;
  }

  override _read(size: number): void {
    this.#decoder?.resume();
    super._read(size);
  }
}
