import type { JsonObject } from "@tollgate/core/json";
import type { NanoUsd } from "@tollgate/core/money";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import { totalTokens, usageBlock } from "../usage/usage.ts";

/** What a response generated, of which a conversation stores a turn. */
export interface GeneratedTurn {
  id: unknown;
  created: unknown;
  /** The assistant's message. */
  message: JsonObject;
  finishReason: unknown;
}

/** A turn that is complete, with all that a conversation stores of it. */
export interface CompletedTurn {
  model: string;
  /** The assistant's message. */
  response: JsonObject;
  /** The usage block that the client is sent. */
  usage: JsonObject;
  /** Tokens of the full context: prompt and response. */
  totalTokens: bigint;
  head: StoredHead;
}

/** The fields of a response that a turn does not contain, stored for another run of its request. */
export interface StoredHead {
  id: unknown;
  created: unknown;
  finishReason: unknown;
  basis: string;
  cost: NanoUsd;
}

/** Returns the turn of a response whose expected charge is known. */
export function turnOf(
  model: string,
  generated: { generated?(): GeneratedTurn },
  usage: ChatUsage,
  charge: NanoUsd,
): CompletedTurn {
  if (generated.generated === undefined) throw new Error("the wire has no conversations");
  const { message, ...head } = generated.generated();
  return {
    model,
    response: message,
    usage: usageBlock(usage, charge),
    totalTokens: totalTokens(usage),
    head: { ...head, basis: usage.basis, cost: charge },
  };
}
