import type { ContentSpace } from "./content-space.ts";
import { type TextWithoutMedia, withoutMedia } from "./without-media.ts";

/** The most that is stored of a request, and of a response, before it is compressed. */
export const maxContentBytes = 1024 * 1024;

/** Whose content it is. */
export interface ContentIds {
  requestId: string;
  accountId: string;
}

/** The prompt of a request, and its response as far as it has been sent. */
export class CollectedContent {
  readonly requestId: string;
  readonly accountId: string;
  readonly request: TextWithoutMedia;
  readonly #space: ContentSpace;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #reserved = 0;
  #isCut = false;

  constructor(ids: ContentIds, request: TextWithoutMedia, space: ContentSpace) {
    this.requestId = ids.requestId;
    this.accountId = ids.accountId;
    this.#space = space;
    const hasRoom = this.#reserve(request.text.length);
    this.request = hasRoom ? request : { text: Buffer.alloc(0), isCut: true };
  }

  /** Whether a part of the response was sent. */
  get hasResponse(): boolean {
    return this.#bytes > 0;
  }

  /** Adds a chunk of the response. What is beyond the bounds is cut. */
  add(chunk: Uint8Array): void {
    if (this.#isCut) return;
    const bytes = Math.min(chunk.byteLength, maxContentBytes - this.#bytes);
    const hasRoom = this.#reserve(bytes);
    this.#isCut = !hasRoom || bytes < chunk.byteLength;
    if (!hasRoom || bytes === 0) return;
    // A copy: the chunk may be part of a larger buffer.
    this.#chunks.push(Buffer.from(chunk.subarray(0, bytes)));
    this.#bytes += bytes;
  }

  /** Adds the whole response. */
  addWhole(body: Uint8Array): void {
    const { buffer, byteOffset, byteLength } = body;
    const { text, isCut } = withoutMedia(
      Buffer.from(buffer, byteOffset, byteLength),
      maxContentBytes,
    );
    this.add(text);
    this.#isCut ||= isCut;
  }

  /** Returns the response as it was added. */
  response(): TextWithoutMedia {
    const { text, isCut } = withoutMedia(Buffer.concat(this.#chunks), maxContentBytes);
    return { text, isCut: isCut || this.#isCut };
  }

  /** Releases the memory. */
  release(): void {
    this.#space.release(this.accountId, this.#reserved);
    this.#reserved = 0;
    this.#chunks = [];
  }

  #reserve(bytes: number): boolean {
    const isReserved = this.#space.reserve(this.accountId, bytes);
    if (isReserved) this.#reserved += bytes;
    return isReserved;
  }
}
