import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { type NanoUsd, usdJson } from "@tollgate/core/money";
import type { Pipeline } from "@tollgate/generation/pipeline";
import type { Measurement } from "@tollgate/metering/measurement";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import type { ChatOrder } from "./chat-order.ts";
import type { KeptTurn, Session } from "./conversations/session.ts";
import { type ChatUsage, readUsage, totalTokens } from "./usage.ts";

/**
 * What an earlier run of the same request stored and could not tell, told anew: the answer of its
 * turn, at its cost. Both runs are charged once together, by their charge id; whichever it is that
 * is charged, it is this cost.
 */
export interface KeptAnswer {
  id: unknown;
  created: unknown;
  model: string;
  message: JsonObject;
  finishReason: unknown;
  usage: JsonObject;
  totalTokens: bigint;
}

/** Charges for a kept turn, unless the earlier run was charged, and answers what to tell of it. */
export async function answerKept(
  pipeline: Pipeline,
  { caller }: ChatCall,
  { model }: ChatOrder,
  { link }: Session,
  kept: KeptTurn,
): Promise<KeptAnswer> {
  const usage = readUsage(kept.usage);
  if (usage === undefined) throw new Error("a turn is stored with its usage");
  // No slot is asked, so that nothing is learned of any, and none need be in.
  const [slot] = model.chain;
  if (slot === undefined) throw new Error("a chain has a slot");
  const generation = await pipeline.open(caller, model, kept.cost, link);
  const measured = measureKept(usage, kept);
  generation.answered(measured);
  const cost = await generation.complete(slot, measured);
  return {
    id: kept.id,
    created: kept.created,
    model: kept.model,
    message: kept.response,
    finishReason: kept.finishReason,
    usage: { ...kept.usage, cost: usdJson(cost) },
    totalTokens: totalTokens(usage),
  };
}

/** Prices may have changed since: the cost is the one that was stored. */
function measureKept(usage: ChatUsage, { basis, cost }: KeptTurn): Measurement {
  return {
    quantity: totalTokens(usage),
    basis,
    lines: [{ quantity: 1n, price: priceOf(cost) }],
    tokens: {
      prompt: usage.promptTokens,
      completion: usage.completionTokens,
      cachedPrompt: usage.cachedTokens,
    },
  };
}

function priceOf(cost: NanoUsd) {
  return { picoUsd: cost * 1_000n, per: 1n };
}

/** The whole answer, as a provider's completion would be told. */
export function completionOf(answer: KeptAnswer, sessionId: string): Buffer {
  const { id, created, model, message, finishReason, usage } = answer;
  const choices = [{ index: 0, message, finish_reason: finishReason }];
  const object = "chat.completion";
  const completion = { id, object, created, model, choices, usage, session_id: sessionId };
  return Buffer.from(JSON.stringify(completion));
}

/** The same as a stream: one chunk with all that is said, and the usage chunk. */
export function chunksOf(answer: KeptAnswer, sessionId: string): Buffer[] {
  const { id, created, model, message, finishReason, usage } = answer;
  const object = "chat.completion.chunk";
  const head = { id, object, created, model, session_id: sessionId };
  const choices = [{ index: 0, delta: deltaOf(message), finish_reason: finishReason }];
  return [
    { ...head, choices },
    { ...head, choices: [], usage },
  ].map((chunk) => Buffer.from(JSON.stringify(chunk)));
}

function deltaOf(message: JsonObject): JsonObject {
  if (!Array.isArray(message.tool_calls)) return message;
  const calls: unknown[] = message.tool_calls;
  const indexed = calls.map((call, index) => (isJsonObject(call) ? { index, ...call } : call));
  return { ...message, tool_calls: indexed };
}
