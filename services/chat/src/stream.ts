import type { JsonObject } from "@tollgate/kit/json";
import { cutStream, type StreamedOrder, streamAnswer } from "@tollgate/kit/streamed-answer";
import { readEvents } from "@tollgate/kit/upstream/event-stream";
import { SlotFailure } from "@tollgate/kit/upstream/failure";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { type ChatOrder, type ChatParts, orderChat } from "./chat-order.ts";
import { type Chunk, readChunk } from "./chunk.ts";
import { createMessageBuilder } from "./conversations/assistant-message.ts";
import { affordableTokens } from "./estimate.ts";
import { answerKept, chunksOf } from "./kept-answer.ts";
import { createTally } from "./stream-tally.ts";
import { upstreamBody } from "./upstream-body.ts";
import { measure, totalTokens, usageBlock } from "./usage.ts";

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
  parts: ChatParts,
  call: ChatCall,
  signal: AbortSignal,
): AsyncGenerator<StreamPart> {
  const order = await orderChat(parts, call, signal);
  try {
    const { session } = order;
    if (session?.kept === undefined) {
      yield* streamAnswer(parts.pipeline, streamedOrder(parts, call, order, signal), signal);
      return;
    }
    const kept = await answerKept(parts.pipeline, call, order, session, session.kept);
    yield { chunks: chunksOf(kept, session.sessionId), totalTokens: kept.totalTokens };
  } finally {
    await order.session?.release();
  }
}

function streamedOrder(
  { providers }: ChatParts,
  call: ChatCall,
  { model, bound, estimate, session, promptCharacters }: ChatOrder,
  signal: AbortSignal,
): StreamedOrder<StreamPart> {
  const tally = createTally(promptCharacters);
  const message = createMessageBuilder();
  const echo = session === undefined ? {} : { session_id: session.sessionId };
  const own = { model: model.alias, ...echo };
  return {
    caller: call.caller,
    model,
    estimate,
    conversationId: session?.link,
    async open(slot, held) {
      const maxTokens = affordableTokens(bound, slot, held);
      const body = upstreamBody(call, slot, session, { stream: true, maxTokens });
      const { requestId = "" } = call.caller ?? {};
      const accept = "text/event-stream";
      const answer = await providers.post(slot, body, { accept, requestId, signal });
      const runs = await openChunks(readEvents(answer.body, signal), own);
      return forwardChunks(runs, (run) => {
        tally.add(run);
        if (session !== undefined) for (const { delta } of run) message.add(delta);
      });
    },
    finish() {
      if (!tally.finished) throw cutStream();
    },
    measure: (slot) => measure(tally.usage("approx4"), slot),
    measureLeft: (slot) =>
      tally.delivered ? measure(tally.usage("delivered_approx4"), slot) : undefined,
    async beforeCharge(charge) {
      const usage = tally.usage("approx4");
      await session?.keep({
        model: model.alias,
        response: message.message(),
        usage: usageBlock(usage, charge),
        totalTokens: totalTokens(usage),
        head: { ...tally.head, basis: usage.basis, cost: charge },
      });
    },
    last(cost) {
      const usage = tally.usage("approx4");
      const chunks = [tally.usageChunk(own, usage, cost)];
      return { chunks, totalTokens: totalTokens(usage) };
    },
  };
}

async function* forwardChunks(
  runs: AsyncIterable<readonly Chunk[]>,
  count: (run: readonly Chunk[]) => void,
): AsyncGenerator<StreamPart> {
  for await (const run of runs) {
    const chunks = run.flatMap(({ forward }) => (forward === undefined ? [] : [forward]));
    count(run);
    if (chunks.length > 0) yield { chunks };
  }
}

/** Waits for the first chunks, so that a slot that has none still counts as failed. */
async function openChunks(
  events: AsyncGenerator<string[]>,
  own: JsonObject,
): Promise<AsyncGenerator<Chunk[]>> {
  const first = await events.next();
  if (first.done) throw new SlotFailure("rejected", "the provider's stream is empty");
  const firstChunks = toChunks(first.value, own);
  if (firstChunks.broken) {
    await events.return(undefined);
    throw new SlotFailure("rejected", "the provider's stream starts with no chunk");
  }
  return readChunks(firstChunks, events, own);
}

async function* readChunks(
  first: ChunkRun,
  events: AsyncGenerator<string[]>,
  own: JsonObject,
): AsyncGenerator<Chunk[]> {
  try {
    yield first.chunks;
    if (first.done) return;
    for await (const batch of events) {
      const run = toChunks(batch, own);
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

function toChunks(batch: readonly string[], own: JsonObject): ChunkRun {
  const chunks: Chunk[] = [];
  for (const data of batch) {
    if (data === "[DONE]") return { chunks, done: true, broken: false };
    const chunk = readChunk(data, own);
    if (chunk === undefined) return { chunks, done: false, broken: true };
    chunks.push(chunk);
  }
  return { chunks, done: false, broken: false };
}
