import type { Modality } from "@tollgate/kit/modality";
import { cutStream, type StreamedOrder, streamAnswer } from "@tollgate/kit/streamed-answer";
import { readEvents } from "@tollgate/kit/upstream/event-stream";
import { SlotFailure } from "@tollgate/kit/upstream/failure";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { orderChat } from "./chat-order.ts";
import { type Chunk, readChunk } from "./chunk.ts";
import { affordableTokens } from "./estimate.ts";
import { upstreamBody } from "./upstream-body.ts";
import { approximateUsage, type ChatUsage, measure, totalTokens, usageBlock } from "./usage.ts";

/** What goes to the client together, and with the last of it the tokens of the whole. */
export interface StreamPart {
  chunks: Uint8Array[];
  totalTokens?: bigint;
}

/**
 * Answers a chat call as it is generated: the provider's chunks under our alias, and last the
 * usage chunk with the cost. Until a first chunk came another slot may still take over.
 */
export async function* stream(
  { pipeline, providers }: Modality,
  call: ChatCall,
  signal: AbortSignal,
): AsyncGenerator<StreamPart> {
  const { model, bound, estimate } = orderChat(pipeline, call);
  const tally = createTally(call);
  const order: StreamedOrder<StreamPart> = {
    caller: call.caller,
    model,
    estimate,
    async open(slot, held) {
      const maxTokens = affordableTokens(bound, slot, held);
      const body = upstreamBody(call, slot, { stream: true, maxTokens });
      const answer = await providers.post(slot, body, { accept: "text/event-stream", signal });
      return forwardChunks(await openChunks(readEvents(answer.body, signal), model.alias), tally);
    },
    finish() {
      if (!tally.finished) throw cutStream();
    },
    measure: (slot) => measure(tally.usage("approx4"), slot),
    measureLeft: (slot) =>
      tally.delivered ? measure(tally.usage("delivered_approx4"), slot) : undefined,
    last(cost) {
      const usage = tally.usage("approx4");
      const chunks = [tally.usageChunk(model.alias, usage, cost)];
      return { chunks, totalTokens: totalTokens(usage) };
    },
  };
  yield* streamAnswer(pipeline, order, signal);
}

async function* forwardChunks(
  runs: AsyncIterable<readonly Chunk[]>,
  tally: Tally,
): AsyncGenerator<StreamPart> {
  for await (const run of runs) {
    const chunks = run.flatMap(({ forward }) => (forward === undefined ? [] : [forward]));
    tally.add(run);
    if (chunks.length > 0) yield { chunks };
  }
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
