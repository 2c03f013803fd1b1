import { chainSlotOf } from "@tollgate/catalog/key-pool";
import type { Slot } from "@tollgate/catalog/model";
import type { Cancellable } from "@tollgate/core/cancellation";
import type { NanoUsd } from "@tollgate/core/money";
import { brokenStream } from "@tollgate/generation/broken-stream";
import { endedByCaller } from "@tollgate/generation/ended-by-caller";
import type { Generation } from "@tollgate/generation/generation";
import type { Measurement } from "@tollgate/metering/measurement";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import type { Served } from "@tollgate/upstream/chain";
import { SlotFailure } from "@tollgate/upstream/failure";
import { UnsentCall } from "@tollgate/upstream/unsent";
import { settleStored, storedChunksOf } from "./conversations/stored-response.ts";
import { turnOf } from "./conversations/turn.ts";
import { filteredChunks, filteredContext, isFiltered } from "./filtered-response.ts";
import { forwardChunks, type StreamPart } from "./forward-chunks.ts";
import { billedOutput, ceilingOf } from "./hold/hold-plan.ts";
import { createStreamAllowance } from "./hold/stream-allowance.ts";
import {
  type CalledSlot,
  type EndedEarly,
  isOutOfTime,
  untilLeft,
  usageReadOn,
  usageSoFar,
} from "./left-stream.ts";
import {
  billableCall,
  type ChatRuntime,
  contextOf,
  meteredCall,
  type PreparedCall,
  prepare,
} from "./prepare.ts";
import { ReaderPace } from "./reader-pace.ts";
import { ResponseIdReader } from "./response-id-reader.ts";
import { EmptyAttempts } from "./usage/empty-attempts.ts";
import { measure, totalTokens } from "./usage/usage.ts";
import { UsageCounter } from "./usage/usage-counter.ts";
import type { UsageMeter } from "./usage/usage-meter.ts";
import { doneEvent } from "./wires/chat/chunk-event.ts";
import { streamTranslated } from "./wires/chat/post-translated.ts";
import type { Sending } from "./wires/wire.ts";

/**
 * Yields the events of a response in the call's wire and under our alias, as they are generated. The
 * last ones are sent once the usage is durable. In a conversation, `[DONE]` follows once the
 * conversation's lock is released. Other slots are attempted until an event has arrived.
 */
export async function* serveStream(
  runtime: ChatRuntime,
  call: ChatCall,
  cancellation: Cancellable,
): AsyncGenerator<StreamPart> {
  const prepared = await prepare(runtime, call, true, cancellation.signal);
  const { session } = prepared;
  try {
    if (session?.storedTurn === undefined) {
      yield* generate(runtime, prepared, cancellation);
    } else {
      const stored = await settleStored(runtime.engine, prepared, session.storedTurn);
      yield { chunks: storedChunksOf(stored, session.sessionId), totalTokens: stored.totalTokens };
    }
  } finally {
    await session?.release();
  }
  // After `[DONE]` the client may send the conversation's next turn at once.
  if (session !== undefined) yield { chunks: [doneEvent] };
}

function generate(
  runtime: ChatRuntime,
  prepared: PreparedCall,
  cancellation: Cancellable,
): AsyncGenerator<StreamPart> {
  const { wire, model, translated, session, hold, promptCharacters } = prepared;
  const { meter } = runtime;
  const { signal } = cancellation;
  const isHidden = meter.hidesReasoning(prepared);
  const billable = billableCall(prepared);
  const call = isHidden ? { ...billable, cancellation } : billable;
  return runtime.engine.stream(call, async function* (generation) {
    if (isHidden) cancellation.beginPart(generation);
    let isNative = false;
    let called: CalledSlot | undefined;
    const empty = new EmptyAttempts();
    generation.billPartial(async (failure) => {
      if (called === undefined || failure instanceof UnsentCall) {
        return endedByCaller(signal) ? empty.alone() : undefined;
      }
      const isReadOn = isHidden && (cancellation.hasLeft || isOutOfTime({ failure, signal }));
      const ended = { failure, signal, isReadOn };
      return billEnded(meter, prepared, { called, generation, empty }, ended);
    });
    const attempted = generation.attemptStream((slot) => {
      isNative = !translated.has(chainSlotOf(slot));
      const counter = new UsageCounter();
      if (called?.counter.isEmpty) empty.add(called.slot, called.counter.reported);
      // A client that leaves between two attempts pays for none that its provider has ended.
      called = undefined;
      signal.throwIfAborted();
      called = { slot, counter, pace: new ReaderPace() };
      return open(runtime, prepared, { called, generation }, signal);
    });
    const { slot, response } = await attempted.catch((error: unknown) => {
      throw wire.describeFailure(error, isNative);
    });
    const { chunks, events, counter, pace, allowance } = response;
    if (isHidden) {
      const parts = chunks[Symbol.asyncIterator]();
      called = { slot, counter, pace, rest: { parts, allowance } };
      yield* untilLeft(parts);
    } else yield* chunks;
    if (allowance.isUsedUp) {
      const event = events.cut(counter.endByLength(hold.bound.choices));
      if (event !== undefined) yield { chunks: [event] };
    }
    if (!counter.finished) {
      throw brokenStream(new SlotFailure("rejected", "the stream ended before its finish"));
    }
    const metered = meteredCall(prepared, slot);
    const usage = counter.complete ?? (await meter.usageOf(metered, counter));
    const billed = billedOutput(hold, slot, generation);
    const used = empty.addTo(measure(usage, slot, billed));
    const measured = await generation.measured(slot, used);
    let cost: NanoUsd;
    try {
      await session?.storeTurn(turnOf(model.alias, events, usage, measured.charge));
    } finally {
      // The client has the complete response: it is billed also where its turn is not stored.
      cost = await measured.settle();
    }
    if (isHidden) cancellation.endPart();
    meter.learn(metered, usage, () => counter, promptCharacters);
    yield { chunks: [events.end(usage, cost)], totalTokens: totalTokens(usage) };
  });
}

interface Attempt {
  called: CalledSlot;
  generation: Generation;
}

/** Resolves with what is billed of a stream that has ended before it was settled. */
async function billEnded(
  meter: UsageMeter,
  prepared: PreparedCall,
  { called, generation, empty }: Attempt & { empty: EmptyAttempts },
  { failure, signal, isReadOn }: EndedEarly & { isReadOn: boolean },
): Promise<Served<Measurement> | undefined> {
  const { session, hold } = prepared;
  if (isReadOn && failure === undefined) await session?.release();
  const { held } = generation;
  const usage = isReadOn
    ? await usageReadOn(meter, prepared, called, { failure, signal, held })
    : await usageSoFar(meter, prepared, called, { failure, signal });
  if (usage === undefined) return undefined;
  const { slot } = called;
  const used = measure(usage, slot, billedOutput(hold, slot, generation));
  return { slot, response: empty.addTo(used) };
}

/** Opens one slot's stream, with its own counter: the chunks of a slot that failed do not count. */
async function open(
  runtime: ChatRuntime,
  prepared: PreparedCall,
  { called, generation }: Attempt,
  signal: AbortSignal,
) {
  const { session, hold } = prepared;
  const { slot, counter, pace } = called;
  const maxTokens = ceilingOf(hold, slot, generation);
  const sending = { isStream: true, maxTokens, session, signal };
  const { body, events, context, isNative } = await openEvents(runtime, prepared, slot, sending);
  const idReader = new ResponseIdReader(generation, prepared.wire, isNative, context);
  const allowance = createStreamAllowance(generation, hold, slot, maxTokens);
  const { choices } = hold.bound;
  const { rates } = generation;
  const reading = { events, context, counter, choices, pace, rates, idReader };
  const chunks = forwardChunks(body, signal, reading, allowance);
  return { chunks, events, counter, pace, allowance };
}

/** Opens the events of a slot's stream. A request that the provider's filter has stopped has some, too. */
async function openEvents(
  { providers, now }: ChatRuntime,
  prepared: PreparedCall,
  slot: Slot,
  sending: Sending,
) {
  const { wire, client, translated } = prepared;
  const chat = translated.get(chainSlotOf(slot));
  try {
    const body =
      chat === undefined
        ? (await wire.post(providers, client, slot, sending)).body
        : await streamTranslated(providers, client, slot, chat, sending);
    const context = contextOf(prepared, slot, now());
    const events = chat === undefined ? wire.readEvents(context) : wire.writeEvents(context);
    return { body, events, context, isNative: chat === undefined };
  } catch (error) {
    if (!isFiltered(error)) throw error;
    const context = filteredContext(contextOf(prepared, slot, now()));
    return { body: filteredChunks(), events: wire.writeEvents(context), context, isNative: false };
  }
}
