import { once } from "node:events";
import { envelope, GatewayError, PeerError } from "@tollgate/core/errors";
import { limitFinalStall, limitStall, maxStallMs } from "@tollgate/http/stall";
import type { Exchange } from "./exchange.ts";
import type { Collector } from "./idempotency/collector.ts";

export const jsonType = "application/json; charset=utf-8";
export const eventStreamType = "text/event-stream; charset=utf-8";

/** A successful answer: whole, or a stream whose events come one by one. */
export type Answer = WholeAnswer | StreamedAnswer;

export interface WholeAnswer {
  contentType: string;
  body: Uint8Array;
}

export interface StreamedAnswer {
  contentType: string;
  events: AsyncIterable<Uint8Array>;
  /** How many they are, where that is known. */
  bytes?: number;
}

/** So much of a stream that is collected may wait for its client, which can have a replay. */
const maxBehindBytes = 16 * 1024 * 1024;

/** Headers that a route adds, read when the answer's head goes out. */
export type HeadersOf = () => Record<string, string>;

/**
 * Writes an answer that is there. A client that takes nothing of it for `stallMs` is taken as gone.
 */
export function writeWhole(
  { res, headers }: Exchange,
  { contentType, body }: WholeAnswer,
  headersOf: HeadersOf,
  stallMs = maxStallMs,
): void {
  res.writeHead(200, {
    ...headers,
    ...headFor({ contentType, bytes: body.byteLength }),
    ...headersOf(),
  });
  res.end(body);
  limitFinalStall(res, stallMs);
}

/** The answer of a route that costs nothing. */
export function writeJson(exchange: Exchange, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  writeWhole(exchange, { contentType: jsonType, body }, noHeaders);
}

export const noHeaders: HeadersOf = () => ({});

/**
 * Writes the events of a stream, or the bytes of audio, as they come. The head goes out with the
 * first: what fails before it is an ordinary error answer. What fails after is told in one last
 * event, or by an abrupt end where there are no events, or no room for one. A client that reads
 * slowly slows the source; one that takes nothing for `stallMs` is taken as gone.
 *
 * With a collector, which is given all of it, the stream is read to its end also when the client
 * has left, and no client slows it: it could hold the run until its time is over, when nothing is
 * billed. What waits for the client is what is collected; one that is too far behind is let go.
 *
 * Answers whether the stream ended well; its end is then the caller's to write, by `endStream`.
 */
export async function writeStream(
  exchange: Exchange,
  answer: StreamedAnswer,
  headersOf: HeadersOf,
  collector?: Collector,
  stallMs = maxStallMs,
): Promise<boolean> {
  const { res, headers, signal } = exchange;
  const pace = paceOf(exchange, collector !== undefined, stallMs);
  try {
    for await (const piece of answer.events) {
      collector?.add(piece);
      if (signal.aborted && collector === undefined) return false;
      if (signal.aborted) continue;
      if (!res.headersSent) {
        res.writeHead(200, { ...headers, ...headFor(answer), ...headersOf() });
      }
      if (!res.write(piece)) await pace();
    }
  } catch (error) {
    if (!res.headersSent) throw error;
    breakOff(exchange, answer, error, stallMs);
    return false;
  }
  return true;
}

/** Answers what is done whenever the client has some of a stream still to take. */
function paceOf(
  exchange: Exchange,
  isCollected: boolean,
  stallMs: number,
): () => Promise<void> | undefined {
  let taking: Promise<void> | undefined;
  return () => {
    taking ??= taken(exchange, stallMs).then(() => {
      taking = undefined;
    });
    if (!isCollected) return taking;
    if (exchange.res.writableLength > maxBehindBytes) exchange.res.destroy();
    return undefined;
  };
}

/** Ends the response of a stream that was written; the client may still have some of it to take. */
export function endStream({ res }: Exchange, last = "", stallMs = maxStallMs): void {
  res.end(last);
  limitFinalStall(res, stallMs);
}

function breakOff(
  exchange: Exchange,
  { contentType, bytes }: StreamedAnswer,
  error: unknown,
  stallMs: number,
): void {
  const { res, signal } = exchange;
  const failure = lastWord(error);
  if (!signal.aborted) exchange.failure = failure;
  if (contentType !== eventStreamType || bytes !== undefined) res.destroy();
  else if (!signal.aborted) {
    endStream(exchange, `data: ${JSON.stringify(envelope(failure))}\n\n`, stallMs);
  }
}

/** Waits until the client has taken what was written. One that leaves instead is no failure. */
async function taken({ res, signal }: Exchange, stallMs: number): Promise<void> {
  limitStall(res, stallMs);
  await once(res, "drain", { signal }).catch(() => {});
  limitStall(res, 0);
}

function headFor(answer: Omit<StreamedAnswer, "events">): Record<string, string | number> {
  const { contentType, bytes } = answer;
  const head = {
    "content-type": contentType,
    ...(bytes === undefined ? {} : { "content-length": bytes }),
  };
  if (contentType !== eventStreamType) return head;
  return { ...head, "cache-control": "no-cache", "x-accel-buffering": "no" };
}

function lastWord(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const message =
    error instanceof PeerError && error.reason === "deadline"
      ? "The stream took longer than the gateway allows."
      : "The stream broke inside the gateway.";
  return new GatewayError("upstream_rejected", message, { cause: error });
}
