import type { Slot } from "@tollgate/catalog/model";
import { brokenStream } from "@tollgate/generation/broken-stream";
import type { Generation } from "@tollgate/generation/generation";
import type { WireCall } from "@tollgate/proto/tollgate/v1/wire";
import { postChat } from "@tollgate/providers/chat";
import type { ProviderResponse } from "@tollgate/upstream/provider-client";
import { forwardChunks, type StreamPart } from "../forward-chunks.ts";
import { ceilingOf } from "../hold/hold-plan.ts";
import { createStreamAllowance } from "../hold/stream-allowance.ts";
import { billableChat, type ChatRuntime } from "../prepared-chat.ts";
import { measure, totalTokens } from "../usage/usage.ts";
import { UsageCounter } from "../usage/usage-counter.ts";
import { upstreamBody } from "./chat/upstream-body.ts";
import { frameOf } from "./complete-wire.ts";
import { postNative } from "./native-call.ts";
import { type PreparedWire, prepareWire } from "./prepared-wire.ts";
import { asRefusal } from "./refused-request.ts";
import type { WireChunk, WireEvents } from "./wire.ts";
import { wireOf } from "./wire-of.ts";

/**
 * Yields the events of a response in the call's wire and under our alias, as they are generated.
 * The last ones are sent once the usage is durable. Other slots are attempted until an event has
 * arrived.
 */
export async function* streamWire(
  runtime: ChatRuntime,
  call: WireCall,
  signal: AbortSignal,
): AsyncGenerator<StreamPart> {
  const prepared = await prepareWire(runtime, wireOf(call.wire), call, true);
  yield* runtime.engine.stream(billableChat(prepared), async function* (generation) {
    let isNative = false;
    const served = generation.attemptStream((slot) => {
      isNative = !prepared.translated.has(slot);
      return openEvents(runtime, prepared, slot, generation, signal);
    });
    const { slot, response } = await served.catch((error: unknown) => {
      throw asRefusal(error, prepared.wire, isNative);
    });
    const { chunks, counter, events, isCut } = response;
    const partialUsage = () => events.usageSoFar(counter.usage("delivered_approx4"));
    generation.billPartial(() => {
      if (!signal.aborted || !counter.delivered) return undefined;
      return { slot, response: measure(partialUsage(), slot) };
    });
    yield* chunks;
    const cut = isCut();
    if (!cut && !counter.finished) throw brokenStream();
    const usage = cut ? partialUsage() : counter.usage("approx4");
    await generation.settle(slot, measure(usage, slot));
    yield { chunks: [events.end(usage, cut)], totalTokens: totalTokens(usage) };
  });
}

async function openEvents(
  runtime: ChatRuntime,
  prepared: PreparedWire,
  slot: Slot,
  generation: Generation,
  signal: AbortSignal,
) {
  const maxTokens = ceilingOf(prepared.hold, slot, generation);
  const opened = await requestEvents(runtime, prepared, slot, maxTokens, signal);
  const { events, response } = opened;
  const counter = new UsageCounter(prepared.promptCharacters);
  const allowance = createStreamAllowance(generation, prepared.hold, slot, maxTokens);
  const deliver = (chunk: WireChunk) => {
    const forward = events.deliver(chunk);
    counter.add({ ...chunk, forward });
    return forward;
  };
  const reading = { readChunk: events.read, deliver, rates: generation.rates };
  const chunks = forwardChunks(response.body, signal, reading, allowance);
  return { chunks, counter, events, isCut: () => allowance.isUsedUp };
}

async function requestEvents(
  { providers, now }: ChatRuntime,
  prepared: PreparedWire,
  slot: Slot,
  maxTokens: bigint,
  signal: AbortSignal,
): Promise<{ events: WireEvents; response: ProviderResponse }> {
  const { wire, wireCall, translated, model } = prepared;
  const call = translated.get(slot);
  if (call === undefined) {
    const path = wire.nativePathOf(slot) ?? slot.path;
    const options = { isStream: true, maxTokens, signal };
    const response = await postNative(providers, prepared, slot, path, options);
    return { events: wire.readEvents(model.alias), response };
  }
  const { requestId = "" } = wireCall.caller ?? {};
  const body = upstreamBody(call, slot, undefined, { stream: true, maxTokens });
  const accept = "text/event-stream";
  const response = await postChat(providers, slot, body, { accept, requestId, signal });
  return { events: wire.writeEvents(frameOf(prepared, now())), response };
}
