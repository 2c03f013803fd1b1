import type { Slot } from "@tollgate/catalog/model";
import type { Rates } from "@tollgate/core/rates";
import type { Generation } from "@tollgate/generation/generation";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { postChat } from "@tollgate/providers/chat";
import { readJson } from "@tollgate/upstream/provider-client";
import { messageOf } from "./conversations/assistant-message.ts";
import { completionOf, settleStored } from "./conversations/stored-response.ts";
import { ceilingOf } from "./hold/hold-plan.ts";
import { billableChat, type ChatRuntime, type PreparedChat, prepareChat } from "./prepared-chat.ts";
import {
  approximateUsage,
  type ChatUsage,
  measure,
  totalTokens,
  usageBlock,
} from "./usage/usage.ts";
import { readUsage } from "./usage-reader.ts";
import { contentCharacters } from "./wires/chat/content.ts";
import { requireCompletion, type WithChoices } from "./wires/chat/provider-response.ts";
import { identityOf, ownIdentity } from "./wires/chat/response-identity.ts";
import { upstreamBody } from "./wires/chat/upstream-body.ts";

export interface CompletedChat {
  body: Uint8Array;
  totalTokens: bigint;
  /** The rates that limit the key. */
  rates?: Rates | undefined;
}

/** Returns the provider's completion under our alias, with our cost in its usage. */
export async function complete(
  runtime: ChatRuntime,
  call: ChatCall,
  signal: AbortSignal,
): Promise<CompletedChat> {
  const prepared = await prepareChat(runtime, call, false, signal);
  const { session } = prepared;
  try {
    if (session?.storedTurn === undefined) return await generate(runtime, prepared, signal);
    const stored = await settleStored(runtime.engine, prepared, session.storedTurn);
    return { body: completionOf(stored, session.sessionId), totalTokens: stored.totalTokens };
  } finally {
    await session?.release();
  }
}

async function generate(
  runtime: ChatRuntime,
  prepared: PreparedChat,
  signal: AbortSignal,
): Promise<CompletedChat> {
  const { model, session } = prepared;
  return runtime.engine.generate(billableChat(prepared), async (generation) => {
    const { slot, response } = await generation.attempt((slot) =>
      requestCompletion(runtime, prepared, slot, generation, signal),
    );
    const { value, identity, usage } = response;
    const measured = await generation.measured(slot, measure(usage, slot));
    if (session !== undefined) {
      const { charge } = measured;
      const [choice] = value.choices;
      await session.storeTurn({
        model: model.alias,
        response: messageOf(value.choices),
        usage: usageBlock(usage, charge),
        totalTokens: totalTokens(usage),
        head: {
          ...identity,
          finishReason: choice?.finish_reason,
          basis: usage.basis,
          cost: charge,
        },
      });
    }
    const cost = await measured.settle();
    const { cost: _cost, session_id: _session, ...rest } = value;
    const ours = { ...identity, object: "chat.completion", model: model.alias };
    const echo = session === undefined ? {} : { session_id: session.sessionId };
    const completion = { ...rest, ...ours, usage: usageBlock(usage, cost), ...echo };
    const body = Buffer.from(JSON.stringify(completion));
    return { body, totalTokens: totalTokens(usage), rates: generation.rates };
  });
}

/** Requests a chat completion from a slot. Throws a SlotFailure. */
export async function requestCompletion(
  { providers, now }: ChatRuntime,
  { call, session, hold, promptCharacters }: PreparedChat,
  slot: Slot,
  generation: Generation,
  signal: AbortSignal,
) {
  const maxTokens = ceilingOf(hold, slot, generation);
  const body = upstreamBody(call, slot, session, { stream: false, maxTokens });
  const { requestId = "" } = call.caller ?? {};
  const accept = "application/json";
  const response = await postChat(providers, slot, body, { accept, requestId, signal });
  const value = requireCompletion((await readJson(response, signal)).value);
  const identity = identityOf(value, ownIdentity(requestId, now()));
  return { value, identity, usage: usageOf(value, promptCharacters) };
}

function usageOf(value: WithChoices, promptCharacters: bigint): ChatUsage {
  const reported = readUsage(value.usage);
  if (reported !== undefined) return reported;
  const characters = value.choices.reduce<number>(
    (sum, { message }) => sum + contentCharacters(message),
    0,
  );
  return approximateUsage(promptCharacters, characters, "approx4");
}
