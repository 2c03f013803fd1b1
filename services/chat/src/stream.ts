import type { Slot } from "@tollgate/kit/catalog/model";
import { GatewayError } from "@tollgate/kit/errors";
import type { Modality } from "@tollgate/kit/modality";
import type { Generation } from "@tollgate/kit/pipeline";
import { readEvents } from "@tollgate/kit/upstream/event-stream";
import { SlotFailure } from "@tollgate/kit/upstream/failure";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { orderChat } from "./chat-order.ts";
import { type Chunk, readChunk } from "./chunk.ts";
import { affordableTokens } from "./estimate.ts";
import { upstreamBody } from "./upstream-body.ts";
import { approximateUsage, type ChatUsage, measure, totalTokens, usageBlock } from "./usage.ts";

/**
 * Answers a chat call as it is generated: the provider's chunks under our alias, and last the
 * usage chunk with the cost. Until a first chunk came another slot may still take over; after that
 * a stream that breaks raises `upstream_rejected`, and is not billed. A client that leaves is
 * billed for what it was sent.
 */
export async function* stream(
  { pipeline, providers }: Modality,
  call: ChatCall,
  signal: AbortSignal,
): AsyncGenerator<{ chunks: Uint8Array[]; totalTokens?: bigint }> {
  const { model, bound, estimate } = orderChat(pipeline, call);
  const generation = await pipeline.open(call.caller, model, estimate);
  const tally = createTally(call);
  let slot: Slot | undefined;
  let settled = false;
  try {
    const served = await generation.call(async (candidate) => {
      const maxTokens = affordableTokens(bound, candidate, generation.held);
      const body = upstreamBody(call, candidate, { stream: true, maxTokens });
      const answer = await providers.post(candidate, body, { accept: "text/event-stream", signal });
      return openChunks(readEvents(answer.body, signal), model.alias);
    });
    slot = served.slot;
    for await (const chunks of served.answer) {
      const forward = chunks.flatMap(({ forward }) => (forward === undefined ? [] : [forward]));
      tally.add(chunks);
      if (forward.length > 0) yield { chunks: forward };
    }
    if (!tally.finished) throw cutStream();
    settled = true;
    const usage = tally.usage("approx4");
    const cost = await generation.complete(slot, measure(usage, slot));
    yield { chunks: [tally.usageChunk(model.alias, usage, cost)], totalTokens: totalTokens(usage) };
  } catch (error) {
    throw error instanceof SlotFailure && !signal.aborted ? cutStream() : error;
  } finally {
    // Reached unsettled by a failure, and by a client that left at any point.
    const billed = signal.aborted && tally.delivered && !mayRunAgain(call);
    if (!settled) await settleEarlyEnd(generation, billed ? slot : undefined, tally);
  }
}

/**
 * A request with a charge id outlives its client. Where it is given up all the same, its runner
 * died, and another will run it whole and be charged.
 */
function mayRunAgain({ caller }: ChatCall): boolean {
  return caller !== undefined && caller.chargeId !== "";
}

/** Bills a client that left for what it was sent; everything else that ends early is free. */
async function settleEarlyEnd(
  generation: Generation,
  slot: Slot | undefined,
  tally: Tally,
): Promise<void> {
  if (slot === undefined) return await generation.fail();
  await generation.complete(slot, measure(tally.usage("delivered_approx4"), slot));
}

/** What a stream tells its client when the provider does not end it as it should. */
function cutStream(): GatewayError {
  return new GatewayError("upstream_rejected", "The provider ended the stream before its finish.");
}

/** Waits for the first chunks, so that a slot that has none still counts as failed. */
async function openChunks(
  events: AsyncGenerator<string[]>,
  alias: string,
): Promise<AsyncGenerator<Chunk[]>> {
  const first = await events.next();
  if (first.done) throw new SlotFailure("rejected", "the provider's stream is empty");
  const firstChunks = toChunks(first.value, alias);
  if (firstChunks.broken) {
    await events.return(undefined);
    throw new SlotFailure("rejected", "the provider's stream starts with no chunk");
  }
  return readChunks(firstChunks, events, alias);
}

async function* readChunks(
  first: ChunkRun,
  events: AsyncGenerator<string[]>,
  alias: string,
): AsyncGenerator<Chunk[]> {
  try {
    yield first.chunks;
    if (first.done) return;
    for await (const batch of events) {
      const run = toChunks(batch, alias);
      yield run.chunks;
      if (run.broken) throw new SlotFailure("rejected", "an event of the stream is no chunk");
      if (run.done) return;
    }
  } finally {
    await events.return(undefined);
  }
}

interface ChunkRun {
  chunks: Chunk[];
  done: boolean;
  broken: boolean;
}

function toChunks(batch: readonly string[], alias: string): ChunkRun {
  const chunks: Chunk[] = [];
  for (const data of batch) {
    if (data === "[DONE]") return { chunks, done: true, broken: false };
    const chunk = readChunk(data, alias);
    if (chunk === undefined) return { chunks, done: false, broken: true };
    chunks.push(chunk);
  }
  return { chunks, done: false, broken: false };
}

interface Tally {
  add(chunks: readonly Chunk[]): void;
  readonly finished: boolean;
  readonly delivered: boolean;
  usage(fallback: "approx4" | "delivered_approx4"): ChatUsage;
  usageChunk(alias: string, usage: ChatUsage, cost: bigint): Uint8Array;
}

/** Keeps count of a stream for its meter and for its last chunk. */
function createTally(call: ChatCall): Tally {
  const open = new Set<number>();
  const finished = new Set<number>();
  let characters = 0;
  let delivered = false;
  let reported: ChatUsage | undefined;
  let last: Chunk | undefined;
  return {
    add(chunks) {
      for (const chunk of chunks) {
        characters += chunk.characters;
        delivered ||= chunk.forward !== undefined;
        reported = chunk.usage ?? reported;
        for (const index of chunk.seen) if (!finished.has(index)) open.add(index);
        for (const index of chunk.finished) {
          finished.add(index);
          open.delete(index);
        }
        last = chunk;
      }
    },
    get finished() {
      // Some providers answer with fewer choices than were asked for.
      return finished.size > 0 && open.size === 0;
    },
    get delivered() {
      return delivered;
    },
    usage: (fallback) =>
      reported ?? approximateUsage(call.prompt?.textCharacters ?? 0n, characters, fallback),
    usageChunk(alias, usage, cost) {
      const { id, created } = last ?? {};
      const object = "chat.completion.chunk";
      const chunk = {
        id,
        object,
        created,
        model: alias,
        choices: [],
        usage: usageBlock(usage, cost),
      };
      return Buffer.from(JSON.stringify(chunk));
    },
  };
}
