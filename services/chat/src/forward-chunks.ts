import type { JsonObject } from "@tollgate/core/json";
import type { Rates } from "@tollgate/core/rates";
import { createEventReader, type EventReader } from "@tollgate/upstream/event-stream";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { ProviderBody } from "@tollgate/upstream/provider-call";
import { transportFailure } from "@tollgate/upstream/provider-response";
import type { StreamAllowance } from "./hold/stream-allowance.ts";
import type { ReaderPace } from "./reader-pace.ts";
import type { UsageCounter } from "./usage/usage-counter.ts";
import { type Chunk, toChunk } from "./wires/chunk.ts";
import type { ResponseContext } from "./wires/response-context.ts";
import type { WireEvents } from "./wires/wire.ts";

/** Server-sent events that are sent to the client together. */
export interface StreamPart {
  chunks: Uint8Array[];
  /** Of the part with the usage: the tokens of all. */
  totalTokens?: bigint;
  /** Of the first part: the rates that limit the key. */
  rates?: Rates | undefined;
}

/** A provider's stream: its bytes, or the chunks of a chat completion that an adapter makes. */
export type ProviderStream = ProviderBody | AsyncIterable<JsonObject>;

/** How the events of one stream are read and delivered. */
export interface Reading {
  events: Pick<WireEvents, "read" | "deliver">;
  /** Reads the usage of chunks that an adapter makes. */
  context: Pick<ResponseContext, "readUsageBlock">;
  /** Counts what is delivered. */
  counter: Pick<UsageCounter, "add" | "endEmpty">;
  /** The rates that limit the key, for the first part. */
  rates?: Rates | undefined;
  /** Records how fast the parts are taken. */
  pace?: ReaderPace;
}

/**
 * Yields the chunks of a provider's stream up to its `[DONE]` or its last chunk: those that were
 * read together as one part. Ends early, and closes the connection, where the allowance does not
 * cover the next chunk. Throws a SlotFailure for a stream that breaks, that has no chunk to send, or
 * that has an event which is not a chunk.
 */
export async function* forwardChunks(
  body: ProviderStream,
  signal: AbortSignal,
  reading: Reading,
  allowance: StreamAllowance,
): AsyncGenerator<StreamPart> {
  const reader = createEventReader();
  let { rates } = reading;
  const { pace } = reading;
  let isEmpty = true;
  /** The events after those of the part that is being taken. Defined where the client leaves meanwhile. */
  let left: readonly Event[] | undefined;
  try {
    for await (const item of body) {
      let events = eventsIn(item, reader, reading);
      while (events.length > 0) {
        const read = readChunks(events, reading, allowance);
        const { chunks, end, rest } = read;
        if (isSendable(chunks, end, isEmpty)) {
          isEmpty = false;
          const from = performance.now();
          left = rest;
          yield { chunks, rates };
          left = undefined;
          pace?.record(from);
          rates = undefined;
        }
        if (isEnded(read, isEmpty, body, reading)) return;
        if (rest.length > 0 && !(await allowance.wait())) return;
        events = rest;
      }
    }
  } catch (error) {
    throw transportFailure(error, signal);
  } finally {
    countUnread(left, body, reader, reading);
  }
  requireChunk(isEmpty, reading);
}

/**
 * Counts what a provider had sent before its client left: its usage, and what it has generated. `left` are the
 * events that were read, if the client left at all.
 */
function countUnread(
  left: readonly Event[] | undefined,
  body: ProviderStream,
  reader: EventReader,
  { events: wire, counter }: Reading,
): void {
  if (left === undefined) return;
  const unread = "takeUnread" in body ? body.takeUnread?.() : undefined;
  const events = unread === undefined ? left : [...left, ...reader.read(unread)];
  for (const event of events) {
    if (event === "[DONE]") return;
    try {
      const chunk = typeof event === "string" ? wire.read(event) : event;
      if (chunk === undefined) return;
      counter.add(chunk);
      if (chunk.isLast) return;
    } catch {
      return;
    }
  }
}

function eventsIn(
  item: Buffer | JsonObject,
  reader: EventReader,
  { context }: Reading,
): readonly Event[] {
  return Buffer.isBuffer(item) ? reader.read(item) : [toChunk(item, context)];
}

/** Returns whether chunks are sent: a stream that breaks at once may be replaced by another slot's. */
function isSendable(chunks: Uint8Array[], end: ReadChunks["end"], isEmpty: boolean): boolean {
  return chunks.length > 0 && !(end === "broken" && isEmpty);
}

/** Returns whether the provider has ended the stream. Throws a SlotFailure where it is not valid. */
function isEnded(
  { end, failure }: Pick<ReadChunks, "end" | "failure">,
  isEmpty: boolean,
  body: ProviderStream,
  reading: Reading,
): boolean {
  if (end === undefined) return false;
  if (end === "broken") throw failure;
  if ("letEnd" in body) body.letEnd();
  requireChunk(isEmpty, reading);
  return true;
}

function notAChunk(): SlotFailure {
  return new SlotFailure("rejected", "an event of the stream is not a chunk");
}

function requireChunk(isEmpty: boolean, { counter }: Reading): void {
  if (!isEmpty) return;
  counter.endEmpty();
  throw new SlotFailure("rejected", "the provider's stream is empty");
}

/**
 * The data of a server-sent event, or a chunk that an adapter yields. Undefined stands for a value of an
 * adapter that is not a chunk.
 */
type Event = string | Chunk | undefined;

interface ReadChunks {
  chunks: Uint8Array[];
  /** Why the stream has ended, if it has. */
  end?: "done" | "broken";
  /** What is thrown where it is broken. */
  failure?: unknown;
  /** The chunk that the allowance does not cover, and the events after it. */
  rest: readonly Event[];
}

/** Reads events, the first of which may be a chunk that was read before. */
function readChunks(
  events: readonly Event[],
  { events: wire, counter }: Reading,
  allowance: StreamAllowance,
): ReadChunks {
  const chunks: Uint8Array[] = [];
  for (const [index, event] of events.entries()) {
    if (event === "[DONE]") return { chunks, end: "done", rest: [] };
    let chunk: Chunk | undefined;
    try {
      chunk = typeof event === "string" ? wire.read(event) : event;
    } catch (failure) {
      return { chunks, end: "broken", failure, rest: [] };
    }
    if (chunk === undefined) return { chunks, end: "broken", failure: notAChunk(), rest: [] };
    if (!allowance.admit(chunk)) return { chunks, rest: [chunk, ...events.slice(index + 1)] };
    const forward = wire.deliver(chunk);
    counter.add(chunk);
    if (forward !== undefined) chunks.push(forward);
    if (chunk.isLast) return { chunks, end: "done", rest: [] };
  }
  return { chunks, rest: [] };
}
