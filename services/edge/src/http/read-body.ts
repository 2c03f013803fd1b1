import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import * as zlib from "node:zlib";
import { GatewayError } from "@tollgate/core/errors";
import { joinSmallBuffers } from "@tollgate/core/small-buffers";
import { gatherChunks } from "@tollgate/http/gather-chunks";
import type { BodyReservation } from "./body-space.ts";
import { codingOf, noCoding, unknownCoding } from "./content-coding.ts";
import { type Decompress, FrameDecoder } from "./frame-decoder.ts";
import { maxBodyBytes, RequestBody } from "./request-body.ts";

/** Each chunk takes about 600 bytes of overhead, and a client may send every byte as a chunk. */
const maxPendingChunks = 1_024;

/** How much of a body is read, and what is thrown for more. */
export interface BodyLimit {
  bytes: number;
  error(): GatewayError;
}

const largest: BodyLimit = { bytes: maxBodyBytes, error: tooLarge };

/**
 * The largest window of a frame: 8 MiB, which RFC 9659 requires of decoders. A decoder allocates the window
 * that the frame names, beside the memory that is reserved for the body.
 */
const zstdOptions = { params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } };

/** The content codings that are decoded, besides `identity`. */
const decoders: Readonly<Record<string, () => Decompress>> = {
  gzip: zlib.createGunzip,
  "x-gzip": zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  // Not every version of Node has it.
  ...(typeof zlib.createZstdDecompress === "function"
    ? { zstd: () => zlib.createZstdDecompress(zstdOptions) }
    : {}),
};

/** The content codings of which a body may have several frames. */
const codingsOfFrames: ReadonlySet<string> = new Set(["gzip", "x-gzip", "zstd"]);

/**
 * Reads the body of a request, whatever its content type, and reserves the memory for it as it
 * arrives. Throws `invalid_json` if it is larger than `maxBodyBytes`, cannot be read, or is in a content
 * coding that is not decoded (415), and what the reservation throws. `limit` sets a lower limit.
 */
export async function readBody(
  { req }: { readonly req: IncomingMessage },
  reservation: Pick<BodyReservation, "grow">,
  limit: BodyLimit = largest,
): Promise<RequestBody> {
  const name = codingOf(req);
  const isPlain = name === noCoding;
  if (isPlain && Number(req.headers["content-length"]) > limit.bytes) throw limit.error();
  // A destroyed request emits no further events, not even an error.
  if (req.destroyed) throw unreadable(new Error("the body was cut off"));
  try {
    return await (isPlain
      ? collect(req, { req, reservation, limit })
      : decode(name, { req, reservation, limit }));
  } catch (error) {
    throw error instanceof GatewayError ? error : unreadable(error);
  }
}

interface Reading {
  req: IncomingMessage;
  reservation: Pick<BodyReservation, "grow">;
  limit: BodyLimit;
}

async function decode(coding: string, reading: Reading): Promise<RequestBody> {
  const createDecoder = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
  if (createDecoder === undefined) throw undecodedCoding(coding);
  const { req } = reading;
  const gathered = gatherChunks();
  const decoder = new FrameDecoder(createDecoder, codingsOfFrames.has(coding));
  req.pipe(gathered).pipe(decoder);
  try {
    return await collect(decoder, reading);
  } finally {
    req.unpipe(gathered);
    decoder.destroy();
  }
}

/** Collects the decoded bytes of a body. After it has rejected, the rest is not kept. */
function collect(source: Readable, { req, reservation, limit }: Reading): Promise<RequestBody> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let joined = 0;
    let bytes = 0;
    const keep = (chunk: Buffer) => {
      try {
        bytes += chunk.length;
        if (bytes > limit.bytes) throw limit.error();
        reservation.grow(chunk.length);
      } catch (error) {
        source.off("data", keep);
        source.pause();
        chunks = [];
        return void reject(error);
      }
      chunks.push(chunk);
      if (chunks.length - joined < maxPendingChunks) return;
      chunks.splice(joined, maxPendingChunks, Buffer.concat(chunks.slice(joined)));
      joined += 1;
    };
    source.on("data", keep);
    source.once("end", () => resolve(new RequestBody(joinSmallBuffers(chunks))));
    source.once("error", reject);
    // Node emits it for a client that disconnected.
    if (source !== req) req.once("error", reject);
  });
}

/** Returns the error of a body in a coding that is not decoded. */
export function undecodedCoding(coding: string): GatewayError {
  return unknownCoding(coding, Object.keys(decoders));
}

function unreadable(cause: unknown): GatewayError {
  const isWindow = codeOf(cause) === "ZSTD_error_frameParameter_windowTooLarge";
  const why = isWindow ? " Its zstd frame has a window of more than 8 MiB." : "";
  return new GatewayError("invalid_json", `The body could not be read.${why}`, { cause });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function tooLarge(): GatewayError {
  return new GatewayError("invalid_json", `The body is larger than ${maxBodyBytes} bytes.`);
}
