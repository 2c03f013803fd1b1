import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { readJson } from "@tollgate/upstream/provider-client";
import { type AnswerIdentity, identityOf, ownIdentity } from "./answer-identity.ts";
import { type ChatOrder, type ChatParts, orderChat } from "./chat-order.ts";
import { contentCharacters } from "./content.ts";
import { messageOf } from "./conversations/assistant-message.ts";
import { affordableTokens } from "./estimate.ts";
import { answerKept, completionOf } from "./kept-answer.ts";
import { requireCompletion, type WithChoices } from "./provider-answer.ts";
import { upstreamBody } from "./upstream-body.ts";
import { approximateUsage, measure, readUsage, totalTokens, usageBlock } from "./usage.ts";

export interface CompletedChat {
  body: Uint8Array;
  totalTokens: bigint;
}

/** Answers a chat call whole: the provider's JSON under our alias, with our cost in its usage. */
export async function complete(
  parts: ChatParts,
  call: ChatCall,
  signal: AbortSignal,
): Promise<CompletedChat> {
  const order = await orderChat(parts, call, signal);
  try {
    const { session } = order;
    if (session?.kept === undefined) return await completeOrder(parts, call, order, signal);
    const kept = await answerKept(parts.pipeline, call, order, session, session.kept);
    return { body: completionOf(kept, session.sessionId), totalTokens: kept.totalTokens };
  } finally {
    await order.session?.release();
  }
}

async function completeOrder(
  { pipeline, providers, now }: ChatParts,
  call: ChatCall,
  { model, bound, estimate, session, promptCharacters }: ChatOrder,
  signal: AbortSignal,
): Promise<CompletedChat> {
  const { answer, cost } = await pipeline.run({
    caller: call.caller,
    model,
    estimate,
    conversationId: session?.link,
    async ask(slot, held) {
      const maxTokens = affordableTokens(bound, slot, held);
      const body = upstreamBody(call, slot, session, { stream: false, maxTokens });
      const { requestId = "" } = call.caller ?? {};
      const accept = "application/json";
      const response = await providers.post(slot, body, { accept, requestId, signal });
      const value = requireCompletion((await readJson(response, signal)).value);
      const identity = identityOf(value, ownIdentity(requestId, now()));
      return { value, identity, usage: usageOf(value, promptCharacters) };
    },
    measure: ({ usage }, slot) => measure(usage, slot),
    beforeCharge:
      session &&
      (({ value, identity, usage }, charge) =>
        session.keep({
          model: model.alias,
          response: messageOf(value.choices),
          usage: usageBlock(usage, charge),
          totalTokens: totalTokens(usage),
          head: { ...headOf(identity, value), basis: usage.basis, cost: charge },
        })),
  });
  const { cost: _cost, session_id: _session, ...rest } = answer.value;
  const usage = usageBlock(answer.usage, cost);
  const echo = session === undefined ? {} : { session_id: session.sessionId };
  const object = "chat.completion";
  const ours = { ...answer.identity, object, model: model.alias, usage, ...echo };
  const body = Buffer.from(JSON.stringify({ ...rest, ...ours }));
  return { body, totalTokens: totalTokens(answer.usage) };
}

function headOf(identity: AnswerIdentity, { choices: [choice] }: WithChoices) {
  return { ...identity, finishReason: choice?.finish_reason };
}

function usageOf(value: WithChoices, promptCharacters: bigint) {
  const reported = readUsage(value.usage);
  if (reported !== undefined) return reported;
  const characters = value.choices.reduce<number>(
    (sum, { message }) => sum + contentCharacters(message),
    0,
  );
  return approximateUsage(promptCharacters, characters, "approx4");
}
