import { once } from "node:events";
import { envelope, GatewayError, PeerError } from "@tollgate/core/errors";
import { limitFinalStall, limitStall, maxStallMs } from "@tollgate/http/stall";
import {
  endedBy,
  isDisconnected,
  type RequestContext,
  type ResponseHeaders,
} from "./request-context.ts";

export const jsonType = "application/json; charset=utf-8";
export const eventStreamType = "text/event-stream; charset=utf-8";

/** A successful response: complete, or a stream. */
export type RouteResponse = FullResponse | StreamedResponse;

interface ResponseHead {
  contentType: string;
  /** Returns headers of this response that replace others. Called when its head is written. */
  headers?(): ResponseHeaders;
}

export interface FullResponse extends ResponseHead {
  body: Uint8Array;
}

export interface StreamedResponse extends ResponseHead {
  /** Server-sent events, or chunks of audio. */
  chunks: AsyncIterable<Uint8Array>;
  /** The total size in bytes, if it is known. */
  bytes?: number;
  /**
   * Returns the event that ends a stream which fails after its start. Default: one whose data is the
   * error envelope.
   */
  errorEvent?(error: GatewayError): string;
}

/** Receives every chunk of a stream, also after its client disconnected. */
export interface ChunkCollector {
  add(chunk: Uint8Array): void;
}

/** A client of a collected stream may be this far behind; it can read the stored response. */
const maxBehindBytes = 16 * 1024 * 1024;

/**
 * Returns additional headers. Called when the head of the response is written, with the headers of the
 * response itself, which replace them.
 */
export type ExtraHeaders = (own: ResponseHeaders) => ResponseHeaders;

const noHeaders = (): ResponseHeaders => ({});

/** Writes a complete response. A client that reads nothing for `stallMs` is disconnected. */
export function writeResponse(
  { res, headers }: RequestContext,
  { contentType, body, headers: ownHeaders = noHeaders }: FullResponse,
  extraHeaders: ExtraHeaders = noHeaders,
  stallMs = maxStallMs,
): void {
  const own = ownHeaders();
  res.writeHead(200, {
    ...headers,
    ...headFor({ contentType, bytes: body.byteLength }),
    ...extraHeaders(own),
    ...own,
  });
  res.end(body);
  limitFinalStall(res, stallMs);
}

/** Writes a value as JSON. */
export function writeJson(context: RequestContext, value: unknown): void {
  writeResponse(context, { contentType: jsonType, body: Buffer.from(JSON.stringify(value)) });
}

/**
 * Writes the chunks of a stream as they arrive. The head is written with the first chunk, so a
 * failure before it becomes an ordinary error response. A later failure is sent as a last event; if
 * the stream has no events, or a fixed size, the connection is closed instead. A slow client slows
 * the source down, and one that reads nothing for `stallMs` is disconnected.
 *
 * With a collector, the stream is read to its end even if the client disconnects, and a client
 * cannot slow it down: otherwise a slow client could hold the call past its deadline, when nothing
 * is billed. The collected chunks wait for the client in memory; a client that falls too far behind
 * is disconnected.
 *
 * A request that the gateway ends fails in the same way, with the error that ended it. With a
 * collector, `endEarly` ends the response, and the stream is read to its end.
 *
 * Resolves with whether the stream ended well. The caller then ends the response by `endStream`.
 */
export async function writeStream(
  context: RequestContext,
  response: StreamedResponse,
  extraHeaders: ExtraHeaders,
  collector?: ChunkCollector,
  stallMs = maxStallMs,
): Promise<boolean> {
  const { res, headers, signal } = context;
  const waitForClient = createPacer(context, collector !== undefined, stallMs);
  try {
    for await (const chunk of response.chunks) {
      collector?.add(chunk);
      if (signal.aborted && collector === undefined) {
        throwIfEnded(context);
        return false;
      }
      if (signal.aborted) continue;
      if (!res.headersSent) {
        const ownHeaders = response.headers?.() ?? {};
        res.writeHead(200, {
          ...headers,
          ...headFor(response),
          ...extraHeaders(ownHeaders),
          ...ownHeaders,
        });
      }
      if (!res.write(chunk)) await waitForClient();
    }
  } catch (error) {
    const failure = endedBy(context) ?? error;
    if (!res.headersSent) throw failure;
    abortStream(context, response, failure, stallMs);
    return false;
  }
  return true;
}

/** Ends the response of a request that was ended, if its head was sent. */
export function endEarly(
  context: RequestContext,
  response: StreamedResponse,
  stallMs = maxStallMs,
): void {
  const error = endedBy(context);
  if (error !== undefined && context.res.headersSent) {
    abortStream(context, response, error, stallMs);
  }
}

function throwIfEnded(context: RequestContext): void {
  const error = endedBy(context);
  if (error !== undefined) throw error;
}

/** Returns the function that is called whenever written chunks wait for the client. */
function createPacer(
  context: RequestContext,
  isCollected: boolean,
  stallMs: number,
): () => Promise<void> | undefined {
  let draining: Promise<void> | undefined;
  return () => {
    draining ??= drained(context, stallMs).then(() => {
      draining = undefined;
    });
    if (!isCollected) return draining;
    if (context.res.writableLength > maxBehindBytes) context.res.destroy();
    return undefined;
  };
}

/** Ends the response of a stream. The client may still have chunks to read. */
export function endStream({ res }: RequestContext, lastChunk = "", stallMs = maxStallMs): void {
  res.end(lastChunk);
  limitFinalStall(res, stallMs);
}

function abortStream(
  context: RequestContext,
  { contentType, bytes, errorEvent = envelopeEvent }: StreamedResponse,
  error: unknown,
  stallMs: number,
): void {
  const { res } = context;
  if (res.writableEnded) return;
  const failure = streamError(error);
  if (!isDisconnected(context)) context.failure = failure;
  if (contentType !== eventStreamType || bytes !== undefined) res.destroy();
  else if (!isDisconnected(context)) {
    endStream(context, errorEvent(failure), stallMs);
  }
}

function envelopeEvent(error: GatewayError): string {
  return `data: ${JSON.stringify(envelope(error))}\n\n`;
}

/** Resolves when the client has read what was written. A disconnect is not an error here. */
async function drained({ res, signal }: RequestContext, stallMs: number): Promise<void> {
  limitStall(res, stallMs);
  await once(res, "drain", { signal }).catch(() => {});
  limitStall(res, 0);
}

function headFor(response: Omit<StreamedResponse, "chunks">): Record<string, string | number> {
  const { contentType, bytes } = response;
  const head = {
    "content-type": contentType,
    ...(bytes === undefined ? {} : { "content-length": bytes }),
  };
  if (contentType !== eventStreamType) return head;
  return { ...head, "cache-control": "no-cache", "x-accel-buffering": "no" };
}

function streamError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const message =
    error instanceof PeerError && error.reason === "deadline"
      ? "The stream took longer than the gateway allows."
      : "The stream broke inside the gateway.";
  return new GatewayError("upstream_rejected", message, { cause: error });
}
