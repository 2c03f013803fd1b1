import {
  cutStream,
  type StreamedOrder,
  streamAnswer,
} from "@tollgate/generation/streamed-response";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { createEventReader } from "@tollgate/upstream/event-stream";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { ProviderBody } from "@tollgate/upstream/provider-call";
import { transportFailure } from "@tollgate/upstream/provider-client";
import { ownIdentity } from "./answer-identity.ts";
import { type ChatOrder, type ChatParts, orderChat } from "./chat-order.ts";
import { type Chunk, createChunkReader, indexOf, type ReadChunk } from "./chunk.ts";
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
  { providers, now }: ChatParts,
  call: ChatCall,
  { model, bound, estimate, session, promptCharacters }: ChatOrder,
  signal: AbortSignal,
): StreamedOrder<StreamPart> {
  const echo = session === undefined ? {} : { session_id: session.sessionId };
  let tally = createTally(promptCharacters);
  let message = createMessageBuilder();
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
      // What a slot said before it failed is none of the next one's.
      tally = createTally(promptCharacters);
      message = createMessageBuilder();
      const identity = ownIdentity(requestId, now());
      const readChunk = createChunkReader({ ...identity, model: model.alias, ...echo });
      return forwardChunks(answer.body, signal, readChunk, (chunk) => {
        tally.add(chunk);
        if (session === undefined) return;
        for (const choice of chunk.choices) if (indexOf(choice) === 0) message.add(choice.delta);
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
      const chunks = [tally.usageChunk(usage, cost)];
      return { chunks, totalTokens: totalTokens(usage) };
    },
  };
}

/**
 * The chunks of a provider's stream up to its `[DONE]`, those of one read together. Raises a
 * SlotFailure for a stream that breaks, that has nothing to send, or an event that is no chunk.
 */
async function* forwardChunks(
  body: ProviderBody,
  signal: AbortSignal,
  readChunk: ReadChunk,
  count: (chunk: Chunk) => void,
): AsyncGenerator<StreamPart> {
  const reader = createEventReader();
  let isEmpty = true;
  try {
    for await (const part of body) {
      const { chunks, done, broken } = readRun(reader.read(part), readChunk, count);
      if (chunks.length > 0 && !(broken && isEmpty)) {
        isEmpty = false;
        yield { chunks };
      }
      if (broken) throw new SlotFailure("rejected", "an event of the stream is no chunk");
      if (done) {
        body.letEnd();
        break;
      }
    }
  } catch (error) {
    throw transportFailure(error, signal);
  }
  if (isEmpty) throw new SlotFailure("rejected", "the provider's stream is empty");
}

interface ChunkRun {
  chunks: Uint8Array[];
  done: boolean;
  broken: boolean;
}

function readRun(
  events: readonly string[],
  readChunk: ReadChunk,
  count: (chunk: Chunk) => void,
): ChunkRun {
  const chunks: Uint8Array[] = [];
  for (const data of events) {
    if (data === "[DONE]") return { chunks, done: true, broken: false };
    const chunk = readChunk(data);
    if (chunk === undefined) return { chunks, done: false, broken: true };
    count(chunk);
    if (chunk.forward !== undefined) chunks.push(chunk.forward);
  }
  return { chunks, done: false, broken: false };
}
