import type { Slot } from "@tollgate/catalog/model";
import { codePoints } from "@tollgate/core/code-points";
import type { Generation } from "@tollgate/generation/generation";
import type { WireCall } from "@tollgate/proto/tollgate/v1/wire";
import { readJsonObject } from "@tollgate/upstream/provider-client";
import { type CompletedChat, requestCompletion } from "../completion.ts";
import { ceilingOf } from "../hold/hold-plan.ts";
import { billableChat, type ChatRuntime } from "../prepared-chat.ts";
import {
  approximateTokens,
  approximateUsage,
  type ChatUsage,
  measure,
  totalTokens,
} from "../usage/usage.ts";
import { readUsage } from "../usage-reader.ts";
import { postNative } from "./native-call.ts";
import { type PreparedWire, prepareWire } from "./prepared-wire.ts";
import { asRefusal } from "./refused-request.ts";
import { replaceMembers } from "./replace-members.ts";
import type { ResponseFrame } from "./wire.ts";
import { wireOf } from "./wire-of.ts";

/** Returns the complete response to a call, in the call's wire and under our alias. */
export async function completeWire(
  runtime: ChatRuntime,
  call: WireCall,
  signal: AbortSignal,
): Promise<CompletedChat> {
  const prepared = await prepareWire(runtime, wireOf(call.wire), call, false);
  return runtime.engine.generate(billableChat(prepared), async (generation) => {
    let isNative = false;
    const served = generation.attempt((slot) => {
      isNative = !prepared.translated.has(slot);
      return requestOne(runtime, prepared, slot, generation, signal);
    });
    const { slot, response } = await served.catch((error: unknown) => {
      throw asRefusal(error, prepared.wire, isNative);
    });
    const { body, usage } = response;
    await generation.settle(slot, measure(usage, slot));
    return { body, totalTokens: totalTokens(usage), rates: generation.rates };
  });
}

interface WireResponse {
  body: Uint8Array;
  usage: ChatUsage;
}

async function requestOne(
  runtime: ChatRuntime,
  prepared: PreparedWire,
  slot: Slot,
  generation: Generation,
  signal: AbortSignal,
): Promise<WireResponse> {
  const { wire, translated, hold, model } = prepared;
  const call = translated.get(slot);
  if (call !== undefined) {
    const one = { ...prepared, call };
    const { value, usage } = await requestCompletion(runtime, one, slot, generation, signal);
    const response = wire.fromChat(value, usage, frameOf(prepared, runtime.now()));
    return { body: Buffer.from(JSON.stringify(response)), usage };
  }
  const path = wire.nativePathOf(slot) ?? slot.path;
  const maxTokens = ceilingOf(hold, slot, generation);
  const options = { isStream: false, maxTokens, signal };
  const response = await postNative(runtime.providers, prepared, slot, path, options);
  const { bytes, value } = await readJsonObject(response, signal);
  const body = replaceMembers(Buffer.from(bytes), { model: JSON.stringify(model.alias) });
  const { usage, text } = wire.readResponse(value);
  return { body, usage: readUsage(usage) ?? approximate(prepared, text) };
}

function approximate({ promptCharacters }: PreparedWire, text: string): ChatUsage {
  return approximateUsage(promptCharacters, codePoints(text), "approx4");
}

/** Returns what all responses to a call say besides what was generated. */
export function frameOf(
  { wireCall, model, request, promptCharacters }: PreparedWire,
  now: Date,
): ResponseFrame {
  const { requestId = "" } = wireCall.caller ?? {};
  return {
    alias: model.alias,
    id: requestId.replace(/^req_/, ""),
    created: Math.floor(now.getTime() / 1_000),
    request,
    promptTokens: approximateTokens(promptCharacters),
  };
}
