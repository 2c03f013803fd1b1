import type { Slot } from "@tollgate/catalog/model";
import type { NanoUsd } from "@tollgate/core/money";
import { brokenStream } from "@tollgate/generation/broken-stream";
import type { Generation } from "@tollgate/generation/generation";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { postChat } from "@tollgate/providers/chat";
import { createMessageBuilder } from "./conversations/assistant-message.ts";
import { chunksOf, settleStored } from "./conversations/stored-response.ts";
import { forwardChunks, type StreamPart } from "./forward-chunks.ts";
import { ceilingOf } from "./hold/hold-plan.ts";
import { createStreamAllowance } from "./hold/stream-allowance.ts";
import { billableChat, type ChatRuntime, type PreparedChat, prepareChat } from "./prepared-chat.ts";
import { measure, totalTokens, usageBlock } from "./usage/usage.ts";
import { UsageCounter } from "./usage/usage-counter.ts";
import { type Chunk, createChunkReader, indexOf } from "./wires/chat/chunk.ts";
import { doneEvent } from "./wires/chat/chunk-event.ts";
import { ownIdentity } from "./wires/chat/response-identity.ts";
import { upstreamBody } from "./wires/chat/upstream-body.ts";

/**
 * Yields the provider's chunks under our alias as they are generated, and at the end the usage
 * chunk with the cost and `[DONE]`. In a conversation, `[DONE]` follows once the conversation's
 * lock is released. Other slots are attempted until a chunk has arrived.
 */
export async function* stream(
  runtime: ChatRuntime,
  call: ChatCall,
  signal: AbortSignal,
): AsyncGenerator<StreamPart> {
  const prepared = await prepareChat(runtime, call, true, signal);
  const { session } = prepared;
  try {
    if (session?.storedTurn === undefined) {
      yield* generate(runtime, prepared, signal);
    } else {
      const stored = await settleStored(runtime.engine, prepared, session.storedTurn);
      yield { chunks: chunksOf(stored, session.sessionId), totalTokens: stored.totalTokens };
    }
  } finally {
    await session?.release();
  }
  // After `[DONE]` the client may send the conversation's next turn at once.
  if (session !== undefined) yield { chunks: [doneEvent] };
}

function generate(
  runtime: ChatRuntime,
  prepared: PreparedChat,
  signal: AbortSignal,
): AsyncGenerator<StreamPart> {
  const { model, session, hold } = prepared;
  return runtime.engine.stream(billableChat(prepared), async function* (generation) {
    const { slot, response } = await generation.attemptStream((slot) =>
      openStream(runtime, prepared, slot, generation, signal),
    );
    const { counter, message, isCut } = response;
    generation.billPartial(() => {
      if (!signal.aborted || !counter.delivered) return undefined;
      return { slot, response: measure(counter.usage("delivered_approx4"), slot) };
    });
    yield* response.chunks;
    if (isCut()) yield { chunks: [counter.endByLength(hold.bound.choices)] };
    if (!counter.finished) throw brokenStream();
    const usage = counter.usage(isCut() ? "delivered_approx4" : "approx4");
    const measured = await generation.measured(slot, measure(usage, slot));
    let cost: NanoUsd;
    try {
      await session?.storeTurn({
        model: model.alias,
        response: message.message(),
        usage: usageBlock(usage, measured.charge),
        totalTokens: totalTokens(usage),
        head: { ...counter.head, basis: usage.basis, cost: measured.charge },
      });
    } finally {
      // The client has the complete response: it is billed also where its turn is not stored.
      cost = await measured.settle();
    }
    const chunks = [counter.usageChunk(usage, cost)];
    if (session === undefined) chunks.push(doneEvent);
    yield { chunks, totalTokens: totalTokens(usage) };
  });
}

/** Opens one slot's stream, with its own counter: the chunks of a slot that failed do not count. */
async function openStream(
  { providers, now }: ChatRuntime,
  { call, model, session, hold, promptCharacters }: PreparedChat,
  slot: Slot,
  generation: Generation,
  signal: AbortSignal,
) {
  const maxTokens = ceilingOf(hold, slot, generation);
  const body = upstreamBody(call, slot, session, { stream: true, maxTokens });
  const { requestId = "" } = call.caller ?? {};
  const accept = "text/event-stream";
  const response = await postChat(providers, slot, body, { accept, requestId, signal });
  const counter = new UsageCounter(promptCharacters);
  const message = createMessageBuilder();
  const echo = session === undefined ? {} : { session_id: session.sessionId };
  const identity = ownIdentity(requestId, now());
  const readChunk = createChunkReader({ ...identity, model: model.alias, ...echo });
  const deliver = (chunk: Chunk) => {
    counter.add(chunk);
    if (session === undefined) return chunk.forward;
    for (const choice of chunk.choices) if (indexOf(choice) === 0) message.add(choice.delta);
    return chunk.forward;
  };
  const allowance = createStreamAllowance(generation, hold, slot, maxTokens);
  const reading = { readChunk, deliver, rates: generation.rates };
  const chunks = forwardChunks(response.body, signal, reading, allowance);
  return { chunks, counter, message, isCut: () => allowance.isUsedUp };
}
