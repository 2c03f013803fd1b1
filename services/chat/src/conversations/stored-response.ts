import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { type NanoUsd, usdJson } from "@tollgate/core/money";
import type { Engine } from "@tollgate/generation/engine";
import type { Measurement } from "@tollgate/metering/measurement";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import { readUsageBlock } from "@tollgate/providers/openai/usage";
import type { PreparedCall } from "../prepare.ts";
import { totalTokens } from "../usage/usage.ts";
import { chunkEvent } from "../wires/chat/chunk-event.ts";
import type { StoredTurn } from "./session.ts";

/**
 * The response of a turn that an earlier run of the same request stored but could not send. Both
 * runs have the same charge id, so they are charged once together, at the stored cost, whichever of
 * them is charged.
 */
export interface StoredResponse {
  id: unknown;
  created: unknown;
  model: string;
  message: JsonObject;
  finishReason: unknown;
  usage: JsonObject;
  totalTokens: bigint;
}

/** Charges for a stored turn, unless its earlier run was charged, and returns its response. */
export async function settleStored(
  engine: Engine,
  { client, model, session }: PreparedCall,
  turn: StoredTurn,
): Promise<StoredResponse> {
  // A turn has the usage block of our own API, which is OpenAI's.
  const usage = readUsageBlock(turn.usage);
  if (usage === undefined) throw new Error("a turn is stored with its usage");
  // No slot is called. The event names the first one.
  const [slot] = model.chain;
  if (slot === undefined) throw new Error("a chain has a slot");
  const { caller } = client.call;
  const billable = { caller, model, estimate: turn.cost, conversationId: session?.link };
  const cost = await engine.generate(billable, (generation) =>
    generation.settle(slot, measureStored(usage, turn)),
  );
  return {
    id: turn.id,
    created: turn.created,
    model: turn.model,
    message: turn.response,
    finishReason: turn.finishReason,
    usage: { ...turn.usage, cost: usdJson(cost) },
    totalTokens: totalTokens(usage),
  };
}

/** Prices may have changed since the turn was stored: its cost is the stored one. */
function measureStored(usage: ChatUsage, { basis, cost }: StoredTurn): Measurement {
  return {
    quantity: totalTokens(usage),
    basis,
    lines: [{ dimension: "stored_turn", quantity: 1n, price: priceOf(cost) }],
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

/** Returns the response as a chat completion. */
export function storedCompletionOf(stored: StoredResponse, sessionId: string): Buffer {
  const { id, created, model, message, finishReason, usage } = stored;
  const choices = [{ index: 0, message, finish_reason: finishReason }];
  const object = "chat.completion";
  const completion = { id, object, created, model, choices, usage, session_id: sessionId };
  return Buffer.from(JSON.stringify(completion));
}

/** Returns the response as events: one chunk with all content, and the usage chunk. */
export function storedChunksOf(stored: StoredResponse, sessionId: string): Buffer[] {
  const { id, created, model, message, finishReason, usage } = stored;
  const object = "chat.completion.chunk";
  const head = { id, object, created, model, session_id: sessionId };
  const choices = [{ index: 0, delta: deltaOf(message), finish_reason: finishReason }];
  return [
    { ...head, choices },
    { ...head, choices: [], usage },
  ].map((chunk) => chunkEvent(JSON.stringify(chunk)));
}

function deltaOf(message: JsonObject): JsonObject {
  if (!Array.isArray(message.tool_calls)) return message;
  const calls: unknown[] = message.tool_calls;
  const indexed = calls.map((call, index) => (isJsonObject(call) ? { index, ...call } : call));
  return { ...message, tool_calls: indexed };
}
