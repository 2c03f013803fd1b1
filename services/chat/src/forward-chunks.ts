import type { JsonObject } from "@tollgate/core/json";
import type { Rates } from "@tollgate/core/rates";
import { endedByCaller } from "@tollgate/generation/ended-by-caller";
import type { AdaptedChunks } from "@tollgate/providers/chat-adapter";
import {
  createEventReader,
  type EventReader,
  type ServerSentEvent,
} from "@tollgate/upstream/event-stream";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { ProviderBody } from "@tollgate/upstream/provider-call";
import { transportFailure } from "@tollgate/upstream/provider-response";
import { WholeStream } from "@tollgate/upstream/whole-stream";
import type { StreamAllowance } from "./hold/stream-allowance.ts";
import type { ReaderPace } from "./reader-pace.ts";
import type { ResponseIdReader } from "./response-id-reader.ts";
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
export type ProviderStream = ProviderBody | AdaptedChunks;

/** How the events of one stream are read and delivered. */
export interface Reading {
  events: Pick<WireEvents, "read" | "readWhole" | "complete" | "deliver">;
  /** Reads the usage of chunks that an adapter makes. */
  context: Pick<ResponseContext, "readUsageBlock">;
  /** Counts what is delivered. */
  counter: Pick<UsageCounter, "add" | "endEmpty" | "finished" | "hasFinished" | "open" | "text">;
  /** How many choices are requested. */
  choices: bigint;
  /** The rates that limit the key, for the first part. */
  rates?: Rates | undefined;
  /** Reads the id of the response in its first chunk. */
  idReader?: Pick<ResponseIdReader, "read">;
  /** Records how fast the parts are taken. */
  pace?: ReaderPace;
}

/**
 * Yields the chunks of a provider's stream up to its `[DONE]` or its last chunk: those that were
 * read together as one part. Ends early, and closes the connection, where the allowance does not
 * cover the next chunk. A stream whose choices have finished is complete, whatever follows or breaks.
 * Throws a SlotFailure for another stream that breaks or reports an error, and for one without any output.
 */
export async function* forwardChunks(
  body: ProviderStream,
  signal: AbortSignal,
  reading: Reading,
  allowance: StreamAllowance,
): AsyncGenerator<StreamPart> {
  const reader = createEventReader();
  const items: AsyncIterator<Buffer | JsonObject> = body[Symbol.asyncIterator]();
  const { counter, pace } = reading;
  const whole = new WholeStream();
  const state: Progress = { isEmpty: true, isAtEnd: false, left: undefined, whole };
  let events: readonly Event[] = [];
  try {
    while (events.length > 0 || !state.isAtEnd) {
      if (events.length === 0) events = take(await items.next(), reader, reading, state);
      const read = readChunks(events, reading, allowance, state.isEmpty);
      if (read.chunks.length > 0) {
        const rates = ratesOf(reading, state);
        const from = performance.now();
        state.left = read.rest;
        yield { chunks: read.chunks, rates };
        state.left = undefined;
        pace?.record(from);
      }
      settle(read, body, state);
      events = read.rest;
      if (events.length > 0 && !(await allowance.wait())) return;
    }
  } catch (error) {
    refuseFailure(transportFailure(error, signal), reading);
  } finally {
    if (!signal.aborted || endedByCaller(signal))
      await countUnsent(body, items, reader, reading, state);
    await items.return?.();
  }
  if (!state.isEmpty) return;
  if (!counter.finished) throw emptyStream(reading);
  // The first part has the rates, also of a response that has nothing to send but its end.
  yield { chunks: [], rates: reading.rates };
}

/** Throws what ended a stream, unless a provider's failure has after all choices had finished. */
function refuseFailure(failure: unknown, { counter, choices }: Reading): void {
  if (!(failure instanceof SlotFailure) || !counter.hasFinished(choices)) throw failure;
}

interface Progress {
  /** Whether nothing has been sent. */
  isEmpty: boolean;
  isAtEnd: boolean;
  /** The events after those of the part that is being taken. Defined where the client leaves meanwhile. */
  left: readonly Event[] | undefined;
  whole: WholeStream;
}

/**
 * Counts the usage and the output that a provider sent, and that its client did not get before it left. A client
 * that does not read would otherwise pay less.
 */
async function countUnsent(
  body: ProviderStream,
  items: AsyncIterator<Buffer | JsonObject>,
  reader: EventReader,
  reading: Reading,
  state: Progress,
): Promise<void> {
  let events = state.left;
  if (events === undefined) return;
  body.stopReceiving?.();
  try {
    while (!endsWithin(events, reading) && !state.isAtEnd) {
      events = take(await items.next(), reader, reading, state);
    }
  } catch {
    // The stream ends here.
  }
}

/** Counts events. Returns whether the stream ends with one of them. Throws a SlotFailure. */
function endsWithin(events: readonly Event[], { events: wire, counter }: Reading): boolean {
  for (const event of events) {
    if (isEndMark(event)) return true;
    const chunk = readEvent(event, wire);
    if (chunk !== undefined) counter.add(chunk);
    if (chunk?.isLast) return true;
  }
  return false;
}

/** Returns the events in what was read last of a stream. */
function take(
  { done, value }: IteratorResult<Buffer | JsonObject>,
  reader: EventReader,
  { events, context }: Reading,
  state: Progress,
): readonly Event[] {
  const { whole } = state;
  state.isAtEnd = done === true;
  if (done === true) return whole.isWhole ? events.readWhole(whole.value()) : reader.end();
  if (!Buffer.isBuffer(value)) return [toChunk(value, context)];
  return whole.add(value) ? [] : reader.read(value);
}

/** Returns the rates for the first part, undefined for others. */
function ratesOf({ rates }: Reading, state: Progress): Rates | undefined {
  const { isEmpty } = state;
  state.isEmpty = false;
  return isEmpty ? rates : undefined;
}

/** Ends the stream where its provider has. Throws the failure where it is broken. */
function settle({ failure, isDone }: ReadChunks, body: ProviderStream, state: Progress): void {
  if (failure !== undefined) throw failure;
  if (!isDone) return;
  state.isAtEnd = true;
  if ("letEnd" in body) body.letEnd();
}

function notAChunk(): SlotFailure {
  return new SlotFailure("rejected", "an event of the stream is not a chunk");
}

function emptyStream({ counter }: Reading): SlotFailure {
  counter.endEmpty();
  return new SlotFailure("rejected", "the provider's stream is empty");
}

/**
 * A server-sent event, or a chunk that an adapter yields. Undefined stands for a value of an adapter that
 * is not a chunk.
 */
type Event = ServerSentEvent | Chunk | undefined;

interface ReadChunks {
  chunks: Uint8Array[];
  /** Whether the provider has ended the stream. */
  isDone: boolean;
  /** What is thrown where the stream is broken. */
  failure: unknown;
  /** The chunk that the allowance does not cover, and the events after it. */
  rest: readonly Event[];
}

/** Reads events, the first of which may be a chunk that was read before. */
function readChunks(
  events: readonly Event[],
  reading: Reading,
  allowance: StreamAllowance,
  isEmpty: boolean,
): ReadChunks {
  const read: ReadChunks = { chunks: [], isDone: false, failure: undefined, rest: [] };
  try {
    for (const [index, event] of events.entries()) {
      const isMark = isEndMark(event);
      const chunk = isMark ? lastChunk(reading, isEmpty) : readEvent(event, reading.events);
      if (chunk !== undefined && !deliver(chunk, reading, allowance, read)) {
        return { ...read, rest: [chunk, ...events.slice(isMark ? index : index + 1)] };
      }
      if (isMark || chunk?.isLast) return { ...read, isDone: true };
    }
    return read;
  } catch (failure) {
    const chunks = isReplaced(isEmpty, reading) ? [] : read.chunks;
    return { ...read, chunks, failure };
  }
}

/** Whether a stream that breaks may be replaced by another slot's. */
function isReplaced(isEmpty: boolean, { counter, choices }: Reading): boolean {
  return isEmpty && !counter.hasFinished(choices);
}

/** Delivers a chunk, and returns whether the allowance covers it. */
function deliver(
  chunk: Chunk,
  { events: wire, counter, idReader }: Reading,
  allowance: StreamAllowance,
  { chunks }: ReadChunks,
): boolean {
  if (!allowance.admit(chunk)) return false;
  idReader?.read(chunk.value);
  const forward = wire.deliver(chunk);
  counter.add(chunk);
  if (forward !== undefined) chunks.push(forward);
  return true;
}

/** Returns the chunk of an event; undefined for one that says nothing. Throws a SlotFailure. */
function readEvent(event: Event, wire: Reading["events"]): Chunk | undefined {
  if (event === undefined) throw notAChunk();
  return "choices" in event ? event : wire.read(event.data, event.event);
}

function isEndMark(event: Event): boolean {
  return event?.data.trimStart().startsWith("[DONE]") === true;
}

/** Returns what finishes the choices that `[DONE]` leaves open, unless nothing was generated. */
function lastChunk({ events, counter }: Reading, isEmpty: boolean): Chunk | undefined {
  const { open } = counter;
  if (open.length === 0 || (isEmpty && counter.text.length === 0)) return undefined;
  return events.complete?.(open);
}
