import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { spliceParts } from "@tollgate/upstream/splice-body";
import type { Session } from "../../conversations/session.ts";

/**
 * Returns the body for a slot in chunks: the members that the gateway sets, the stored turns
 * followed by the client's messages, and the client's other members. Existing JSON is neither
 * parsed again nor copied: a conversation may hold many megabytes.
 */
export function chatSlotBody(
  call: ChatCall,
  slot: Slot,
  session: Session | undefined,
  options: { isStream: boolean; maxTokens: bigint },
): Uint8Array[] {
  const ownMembers: Record<string, unknown> = { model: slot.upstreamModel };
  ownMembers[ceilingFieldOf(call, slot)] = Number(options.maxTokens);
  if (options.isStream) {
    ownMembers.stream = true;
    ownMembers.stream_options = streamOptionsOf(slot);
  }
  const [first, ...others] = call.messages;
  const messages = first === undefined ? [] : [first.subarray("[".length), ...others];
  const all = [...(session?.prefix.content ?? []), ...messages];
  const isLast = call.body.byteLength === "{}".length;
  return spliceParts(ownMembers, call.body, [opening, ...all, ...(isLast ? [] : [comma])]);
}

const atEnd = { include_usage: true };
const inEachChunk = { ...atEnd, continuous_usage_stats: true };

/** Returns when a stream of the slot reports its usage. vLLM and others do it in each chunk. */
export function streamOptionsOf({ provider }: Slot): JsonObject {
  return provider.continuousUsage ? inEachChunk : atEnd;
}

/**
 * Returns the member for the output limit. A slot may refuse a field that it does not know, or ignore it
 * and with it the ceiling.
 */
export function ceilingFieldOf({ maxTokensField }: ChatCall, slot: Slot): string {
  return slot.maxTokensField ?? (maxTokensField || "max_completion_tokens");
}

const opening = Buffer.from('"messages":[');
const comma = Buffer.from(",");
