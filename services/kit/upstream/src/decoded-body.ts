import { once } from "node:events";
import type { Transform } from "node:stream";
import * as zlib from "node:zlib";
import { SlotFailure } from "./failure.ts";
import type { ProviderBody } from "./provider-call.ts";

/** The most bytes that a body is decoded to: a small one may stand for any number. */
const maxDecodedBytes = 256 * 1024 * 1024;
/** More codings than any response has. */
const maxCodings = 4;

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants;

/**
 * Creates what decodes a body that begins with these bytes. What an end lacks is no error: see `lenient`.
 * Returns undefined for a body that is not in the coding: some servers name one, and send plain bytes.
 */
type CreateDecoder = (start: Buffer) => Transform | undefined;

/** Some servers leave out the end of the coding. What is cut shows in what was decoded. */
const lenient = { finishFlush: Z_SYNC_FLUSH };

const gzipMagic = [0x1f, 0x8b];
const zstdMagic = [0x28, 0xb5, 0x2f, 0xfd];

const gunzip: CreateDecoder = (start) =>
  begins(start, gzipMagic) ? zlib.createGunzip(lenient) : undefined;

const decoders: Readonly<Record<string, CreateDecoder>> = {
  gzip: gunzip,
  "x-gzip": gunzip,
  // Some servers send the bare data, without the header of zlib.
  deflate: ([first = 0]) =>
    (first & 0x0f) === 8 ? zlib.createInflate(lenient) : zlib.createInflateRaw(lenient),
  br: () => zlib.createBrotliDecompress({ finishFlush: BROTLI_OPERATION_FLUSH }),
  // Not every version of Node has it.
  ...(typeof zlib.createZstdDecompress === "function"
    ? {
        zstd: (start: Buffer) =>
          begins(start, zstdMagic)
            ? zlib.createZstdDecompress({ finishFlush: ZSTD_e_flush })
            : undefined,
      }
    : {}),
};

/** Whether a body may begin with these bytes: its first chunk may have fewer. */
function begins(start: Buffer, magic: readonly number[]): boolean {
  return magic.every((byte, at) => at >= start.length || start[at] === byte);
}

/** Says which codings of a response are read. Decoding costs more than most responses are worth. */
export const acceptEncoding = ["identity"]
  .concat(["gzip", "deflate", "br", "zstd"].filter((name) => name in decoders))
  .map((name) => (name === "identity" ? name : `${name};q=0.5`))
  .join(", ");

/**
 * Returns a body without its content codings: itself where it has none. Throws a SlotFailure for a coding
 * that is not known, and while it is read for a body that cannot be decoded, or is too large.
 */
export function decodeBody(
  body: ProviderBody,
  contentEncoding: string,
  maxBytes = maxDecodedBytes,
): ProviderBody {
  if (contentEncoding === "") return body;
  const names = contentEncoding.split(",").map((name) => name.trim().toLowerCase());
  const codings = names.filter((name) => name !== "" && name !== "identity");
  if (codings.length > maxCodings) throw unknownCoding(contentEncoding);
  return codings.reduceRight((coded, name) => {
    const createDecoder = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
    if (createDecoder === undefined) throw unknownCoding(name);
    return new DecodedBody(coded, createDecoder, maxBytes);
  }, body);
}

function unknownCoding(name: string): SlotFailure {
  const shown = JSON.stringify(name.slice(0, 40));
  return new SlotFailure("rejected", `the provider's response has the content coding ${shown}`);
}

/** A body that is decoded as it is read. */
class DecodedBody implements ProviderBody {
  readonly #coded: ProviderBody;
  readonly #decoded: AsyncGenerator<Buffer>;

  constructor(coded: ProviderBody, createDecoder: CreateDecoder, maxBytes: number) {
    this.#coded = coded;
    this.#decoded = decode(coded, createDecoder, maxBytes);
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer> {
    return this.#decoded;
  }

  letEnd(): void {
    this.#coded.letEnd();
  }

  stopReceiving(): void {
    this.#coded.stopReceiving?.();
  }
}

async function* decode(
  coded: ProviderBody,
  createDecoder: CreateDecoder,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  const chunks = coded[Symbol.asyncIterator]();
  const { done, value: start } = await chunks.next();
  if (done) return;
  const decoder = createDecoder(start);
  if (decoder === undefined) {
    yield* plain(start, chunks);
    return;
  }
  const reading: Reading = { chunks, failure: undefined };
  // What the decoder refuses is thrown where it is read.
  void feed(decoder, start, reading).catch(() => {});
  let bytes = 0;
  try {
    for await (const chunk of decoder) {
      bytes += (chunk as Buffer).length;
      if (bytes > maxBytes) {
        throw new SlotFailure("oversized", "the provider's response is too large when decoded");
      }
      yield chunk as Buffer;
    }
    if (reading.failure !== undefined) throw reading.failure;
  } catch (cause) {
    // A broken connection may cause an error of the decoder, too. The first cause is thrown.
    throw reading.failure ?? (cause instanceof SlotFailure ? cause : notDecoded(cause));
  } finally {
    decoder.destroy();
    await chunks.return?.();
  }
}

async function* plain(start: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield start;
    yield* { [Symbol.asyncIterator]: () => chunks };
  } finally {
    await chunks.return?.();
  }
}

interface Reading {
  chunks: AsyncIterator<Buffer>;
  /** Why the coded body broke. It is thrown once the bytes before it are read. */
  failure: unknown;
}

async function feed(decoder: Transform, start: Buffer, reading: Reading): Promise<void> {
  let chunk: Buffer | undefined = start;
  while (chunk !== undefined && !decoder.destroyed) {
    if (!decoder.write(chunk)) await drained(decoder);
    try {
      const next: IteratorResult<Buffer> = await reading.chunks.next();
      chunk = next.done === true ? undefined : next.value;
    } catch (error) {
      reading.failure = error;
      chunk = undefined;
    }
  }
  if (!decoder.destroyed) decoder.end();
}

/** Resolves when a decoder takes more, or is destroyed. */
async function drained(decoder: Transform): Promise<void> {
  if (decoder.destroyed) return;
  const stopped = new AbortController();
  const { signal } = stopped;
  await Promise.race([
    once(decoder, "drain", { signal }),
    once(decoder, "close", { signal }),
  ]).finally(() => stopped.abort());
}

function notDecoded(cause: unknown): SlotFailure {
  return new SlotFailure("rejected", "the provider's response cannot be decoded", { cause });
}
