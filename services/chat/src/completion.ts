import { isJsonObject, type JsonObject } from "@tollgate/kit/json";
import type { Modality } from "@tollgate/kit/modality";
import { SlotFailure } from "@tollgate/kit/upstream/failure";
import { readJson } from "@tollgate/kit/upstream/provider-client";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { orderChat } from "./chat-order.ts";
import { contentCharacters } from "./content.ts";
import { affordableTokens } from "./estimate.ts";
import { upstreamBody } from "./upstream-body.ts";
import { approximateUsage, measure, readUsage, totalTokens, usageBlock } from "./usage.ts";

/** Answers a chat call whole: the provider's JSON under our alias, with our cost in its usage. */
export async function complete(
  { pipeline, providers }: Modality,
  call: ChatCall,
  signal: AbortSignal,
): Promise<{ body: Uint8Array; totalTokens: bigint }> {
  const { model, bound, estimate } = orderChat(pipeline, call);
  const { answer, cost } = await pipeline.run({
    caller: call.caller,
    model,
    estimate,
    async ask(slot, held) {
      const maxTokens = affordableTokens(bound, slot, held);
      const body = upstreamBody(call, slot, { stream: false, maxTokens });
      const response = await providers.post(slot, body, { accept: "application/json", signal });
      const value = requireCompletion((await readJson(response, signal)).value);
      return { value, usage: usageOf(value, call) };
    },
    measure: ({ usage }, slot) => measure(usage, slot),
  });
  const { cost: _providerCost, ...rest } = answer.value;
  const usage = usageBlock(answer.usage, cost);
  const body = Buffer.from(JSON.stringify({ ...rest, model: model.alias, usage }));
  return { body, totalTokens: totalTokens(answer.usage) };
}

type Completion = JsonObject & { choices: readonly unknown[] };

function requireCompletion(value: unknown): Completion {
  if (isJsonObject(value) && Array.isArray(value.choices)) return value as Completion;
  throw new SlotFailure("rejected", "the provider's answer is no chat completion");
}

function usageOf(value: Completion, call: ChatCall) {
  const reported = readUsage(value.usage);
  if (reported !== undefined) return reported;
  const characters = value.choices.reduce<number>(
    (sum, choice) => sum + (isJsonObject(choice) ? contentCharacters(choice.message) : 0),
    0,
  );
  return approximateUsage(call.prompt?.textCharacters ?? 0n, characters, "approx4");
}
