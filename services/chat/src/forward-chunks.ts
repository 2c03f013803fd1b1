import { createEventReader } from "@tollgate/upstream/event-stream";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { ProviderBody } from "@tollgate/upstream/provider-call";
import { transportFailure } from "@tollgate/upstream/provider-client";
import type { Chunk, ReadChunk } from "./chunk.ts";

/** Chunks that are sent to the client together. The last part carries the tokens of them all. */
export interface StreamPart {
  chunks: Uint8Array[];
  totalTokens?: bigint;
}

/**
 * Yields the chunks of a provider's stream up to its `[DONE]`: those that were read together as one
 * part. Calls `count` for each chunk. Throws a SlotFailure for a stream that breaks, that has no
 * chunk to send, or that has an event which is not a chunk.
 */
export async function* forwardChunks(
  body: ProviderBody,
  signal: AbortSignal,
  readChunk: ReadChunk,
  count: (chunk: Chunk) => void,
): AsyncGenerator<StreamPart> {
  const reader = createEventReader();
  let isEmpty = true;
  try {
    for await (const bytes of body) {
      const { chunks, isDone, isBroken } = readChunks(reader.read(bytes), readChunk, count);
      if (chunks.length > 0 && !(isBroken && isEmpty)) {
        isEmpty = false;
        yield { chunks };
      }
      if (isBroken) throw new SlotFailure("rejected", "an event of the stream is not a chunk");
      if (isDone) {
        body.letEnd();
        break;
      }
    }
  } catch (error) {
    throw transportFailure(error, signal);
  }
  if (isEmpty) throw new SlotFailure("rejected", "the provider's stream is empty");
}

interface ReadChunks {
  chunks: Uint8Array[];
  isDone: boolean;
  isBroken: boolean;
}

function readChunks(
  events: readonly string[],
  readChunk: ReadChunk,
  count: (chunk: Chunk) => void,
): ReadChunks {
  const chunks: Uint8Array[] = [];
  for (const data of events) {
    if (data === "[DONE]") return { chunks, isDone: true, isBroken: false };
    const chunk = readChunk(data);
    if (chunk === undefined) return { chunks, isDone: false, isBroken: true };
    count(chunk);
    if (chunk.forward !== undefined) chunks.push(chunk.forward);
  }
  return { chunks, isDone: false, isBroken: false };
}
