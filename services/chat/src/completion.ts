import { GatewayError } from "@tollgate/kit/errors";
import type { Generation, Pipeline } from "@tollgate/kit/pipeline";
import type { CallContext } from "@tollgate/kit/rpc/implementation";
import { SlotFailure } from "@tollgate/kit/upstream/failure";
import { type ProviderClient, readJson } from "@tollgate/kit/upstream/provider-client";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { contentCharacters } from "./content.ts";
import { affordableTokens, type Bound } from "./estimate.ts";
import { openChat } from "./open-chat.ts";
import { upstreamBody } from "./upstream-body.ts";
import {
  approximateUsage,
  isRecord,
  measure,
  readUsage,
  totalTokens,
  usageBlock,
} from "./usage.ts";

/** Answers a chat call whole: the provider's JSON under our alias, with our cost in its usage. */
export async function complete(
  pipeline: Pipeline,
  providers: ProviderClient,
  call: ChatCall,
  { signal }: CallContext,
): Promise<{ body: Uint8Array; totalTokens: bigint }> {
  const { generation, model, bound } = await openChat(pipeline, call);
  const { slot, answer } = await askForAnswer(generation, providers, call, bound, signal);
  const usage =
    readUsage(answer.usage) ??
    approximateUsage(call.prompt?.textCharacters ?? 0n, answerCharacters(answer), "approx4");
  const cost = await generation.complete(slot, measure(usage, slot));
  const { cost: _providerCost, ...rest } = answer;
  const body = JSON.stringify({ ...rest, model: model.alias, usage: usageBlock(usage, cost) });
  return { body: Buffer.from(body), totalTokens: totalTokens(usage) };
}

async function askForAnswer(
  generation: Generation,
  providers: ProviderClient,
  call: ChatCall,
  bound: Bound,
  signal: AbortSignal,
) {
  try {
    return await generation.call(async (slot) => {
      const maxTokens = affordableTokens(bound, slot, generation.held);
      const body = upstreamBody(call, slot, { stream: false, maxTokens });
      const response = await providers.post(slot, body, { accept: "application/json", signal });
      return readAnswer(await readJson(response, signal));
    });
  } catch (error) {
    await generation.fail();
    throw error;
  }
}

type Answer = Record<string, unknown> & { choices: readonly unknown[] };

function readAnswer(value: unknown): Answer {
  if (isRecord(value) && Array.isArray(value.choices)) return value as Answer;
  throw new SlotFailure("rejected", "the provider's answer is no chat completion");
}

function answerCharacters(answer: Answer): number {
  return answer.choices.reduce<number>(
    (sum, choice) => sum + (isRecord(choice) ? contentCharacters(choice.message) : 0),
    0,
  );
}

/** What a stream tells its client when the provider does not end it as it should. */
export function cutStream(): GatewayError {
  return new GatewayError("upstream_rejected", "The provider ended the stream before its finish.");
}
