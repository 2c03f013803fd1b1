import type { Rates } from "@tollgate/core/rates";
import { createEventReader } from "@tollgate/upstream/event-stream";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { ProviderBody } from "@tollgate/upstream/provider-call";
import { transportFailure } from "@tollgate/upstream/provider-client";
import type { Chunk, ReadChunk } from "./chunk.ts";
import type { StreamAllowance } from "./stream-allowance.ts";

/** Chunks that are sent to the client together. */
export interface StreamPart {
  chunks: Uint8Array[];
  /** Of the last part: the tokens of all. */
  totalTokens?: bigint;
  /** Of the first part: the rates that limit the key. */
  rates?: Rates | undefined;
}

/** How the events of one stream are read. */
export interface Reading {
  readChunk: ReadChunk;
  count(chunk: Chunk): void;
}

/**
 * Yields the chunks of a provider's stream up to its `[DONE]`: those that were read together as one
 * part. Calls `count` for each chunk. Ends early, and closes the connection, where the allowance
 * does not cover the next chunk. Throws a SlotFailure for a stream that breaks, that has no chunk
 * to send, or that has an event which is not a chunk.
 */
export async function* forwardChunks(
  body: ProviderBody,
  signal: AbortSignal,
  reading: Reading,
  allowance: StreamAllowance,
): AsyncGenerator<StreamPart> {
  const reader = createEventReader();
  let isEmpty = true;
  try {
    for await (const bytes of body) {
      for (let events = reader.read(bytes); events.length > 0; ) {
        const { chunks, end, rest } = readChunks(events, reading, allowance);
        if (isSendable(chunks, end, isEmpty)) {
          isEmpty = false;
          yield { chunks };
        }
        if (isEnded(end, isEmpty, body)) return;
        if (rest.length > 0 && !(await allowance.wait())) return;
        events = rest;
      }
    }
  } catch (error) {
    throw transportFailure(error, signal);
  }
  if (isEmpty) throw emptyStream();
}

/** Returns whether chunks are sent: a stream that breaks at once may be replaced by another slot's. */
function isSendable(chunks: Uint8Array[], end: ReadChunks["end"], isEmpty: boolean): boolean {
  return chunks.length > 0 && !(end === "broken" && isEmpty);
}

/** Returns whether the provider has ended the stream. Throws a SlotFailure where it is not valid. */
function isEnded(end: ReadChunks["end"], isEmpty: boolean, body: ProviderBody): boolean {
  if (end === undefined) return false;
  if (end === "broken") throw new SlotFailure("rejected", "an event of the stream is not a chunk");
  body.letEnd();
  if (isEmpty) throw emptyStream();
  return true;
}

function emptyStream(): SlotFailure {
  return new SlotFailure("rejected", "the provider's stream is empty");
}

interface ReadChunks {
  chunks: Uint8Array[];
  /** Why the stream has ended, if it has. */
  end?: "done" | "broken";
  /** The events from the first chunk on that the allowance does not cover. */
  rest: readonly string[];
}

function readChunks(
  events: readonly string[],
  { readChunk, count }: Reading,
  allowance: StreamAllowance,
): ReadChunks {
  const chunks: Uint8Array[] = [];
  for (const [index, data] of events.entries()) {
    if (data === "[DONE]") return { chunks, end: "done", rest: [] };
    const chunk = readChunk(data);
    if (chunk === undefined) return { chunks, end: "broken", rest: [] };
    if (!allowance.admit(chunk)) return { chunks, rest: events.slice(index) };
    count(chunk);
    if (chunk.forward !== undefined) chunks.push(chunk.forward);
  }
  return { chunks, rest: [] };
}
