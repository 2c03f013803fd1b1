import { chainSlotOf } from "@tollgate/catalog/key-pool";
import type { Slot } from "@tollgate/catalog/model";
import type { Cancellable } from "@tollgate/core/cancellation";
import type { Rates } from "@tollgate/core/rates";
import type { Generation } from "@tollgate/generation/generation";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import { readJsonObject } from "@tollgate/upstream/provider-response";
import { settleStored, storedCompletionOf } from "./conversations/stored-response.ts";
import { turnOf } from "./conversations/turn.ts";
import { filteredCompletion, filteredContext, isFiltered } from "./filtered-response.ts";
import { billedOutput, ceilingOf } from "./hold/hold-plan.ts";
import {
  billableCall,
  type ChatRuntime,
  contextOf,
  meteredCall,
  type PreparedCall,
  prepare,
} from "./prepare.ts";
import { ResponseIdReader } from "./response-id-reader.ts";
import { EmptyAttempts } from "./usage/empty-attempts.ts";
import { measure, totalTokens } from "./usage/usage.ts";
import { UsageCounter } from "./usage/usage-counter.ts";
import { completionOfProvider, isEmptyCompletion } from "./wires/chat/completion.ts";
import { completeTranslated } from "./wires/chat/post-translated.ts";
import type { WireResponse } from "./wires/wire.ts";

/** A response in the call's wire. */
export interface ServedResponse {
  body: Uint8Array;
  totalTokens: bigint;
  /** The rates that limit the key. */
  rates?: Rates | undefined;
}

/**
 * Returns the complete response to a call, under our alias. A provider that was called responds although
 * the caller leaves: the response is billed, but a turn of a conversation is not stored.
 */
export async function serve(
  runtime: ChatRuntime,
  call: ChatCall,
  cancellation: Cancellable,
): Promise<ServedResponse> {
  const prepared = await prepare(runtime, call, false, cancellation.signal);
  const { session } = prepared;
  try {
    if (session?.storedTurn === undefined) return await generate(runtime, prepared, cancellation);
    const stored = await settleStored(runtime.engine, prepared, session.storedTurn);
    return { body: storedCompletionOf(stored, session.sessionId), totalTokens: stored.totalTokens };
  } finally {
    await session?.release();
  }
}

function generate(
  runtime: ChatRuntime,
  prepared: PreparedCall,
  cancellation: Cancellable,
): Promise<ServedResponse> {
  const { signal } = cancellation;
  const { wire, model, translated, session, hold, promptCharacters } = prepared;
  const { meter } = runtime;
  const billable = { ...billableCall(prepared), cancellation };
  return runtime.engine.generate(billable, async (generation) => {
    let isNative = false;
    const empty = new EmptyAttempts();
    const attempted = generation.attempt((slot) => {
      isNative = !translated.has(chainSlotOf(slot));
      return request(runtime, prepared, { slot, generation, empty }, signal);
    });
    const { slot, response } = await attempted.catch((error: unknown) => {
      throw wire.describeFailure(error, isNative);
    });
    const call = meteredCall(prepared, slot);
    const usage = completeUsage(response) ?? (await meter.usageOf(call, deliveredBy(response)));
    const billed = billedOutput(hold, slot, generation);
    const used = empty.addTo(measure(usage, slot, billed));
    const measured = await generation.measured(slot, used);
    if (!cancellation.hasLeft) {
      await session?.storeTurn(turnOf(model.alias, response, usage, measured.charge));
    }
    const cost = await measured.settle();
    meter.learn(call, usage, () => deliveredBy(response), promptCharacters);
    return {
      body: response.write(usage, cost),
      totalTokens: totalTokens(usage),
      rates: generation.rates,
    };
  });
}

/** Returns what a provider reports of a response, where it reports all of it. */
function completeUsage({ reported, toolCalls }: WireResponse): ChatUsage | undefined {
  return reported?.isPromptOnly || toolCalls.length > 0 ? undefined : reported;
}

function deliveredBy({ reported, messages, toolCalls }: WireResponse): UsageCounter {
  const counter = new UsageCounter();
  for (const message of messages) counter.addMessage(message);
  for (const calls of toolCalls) counter.addToolCalls(calls);
  counter.add({ usage: reported, choices: [] });
  return counter;
}

interface Attempt {
  slot: Slot;
  generation: Generation;
  /** Those before it. It is added where it is one of them. */
  empty: EmptyAttempts;
}

/**
 * Requests a response from a slot. A request that the provider's filter has stopped has one, too. Throws a
 * SlotFailure.
 */
async function request(
  runtime: ChatRuntime,
  prepared: PreparedCall,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<WireResponse> {
  try {
    return await requestOnce(runtime, prepared, attempt, signal);
  } catch (error) {
    if (!isFiltered(error)) throw error;
    const context = filteredContext(contextOf(prepared, attempt.slot, runtime.now()));
    return prepared.wire.fromChat(filteredCompletion(), context);
  }
}

async function requestOnce(
  { providers, now }: ChatRuntime,
  prepared: PreparedCall,
  { slot, generation, empty }: Attempt,
  signal: AbortSignal,
): Promise<WireResponse> {
  const { wire, client, translated, session, hold } = prepared;
  const maxTokens = ceilingOf(hold, slot, generation);
  const sending = { isStream: false, maxTokens, session, signal };
  const chat = translated.get(chainSlotOf(slot));
  if (chat === undefined) {
    const sent = await wire.post(providers, client, slot, sending);
    const json = await readJsonObject(sent, signal);
    const context = contextOf(prepared, slot, now());
    new ResponseIdReader(generation, wire, true, context).read(json.value);
    if (wire.isEmpty(json.value)) empty.add(slot, context.readUsageBlock(json.value.usage));
    return wire.readResponse(json, context);
  }
  const value = await completeTranslated(providers, client, slot, chat, sending);
  const context = contextOf(prepared, slot, now());
  new ResponseIdReader(generation, wire, false, context).read(value);
  if (isEmptyCompletion(value)) empty.add(slot, context.readUsageBlock(value.usage));
  return wire.fromChat(completionOfProvider(value, context), context);
}
