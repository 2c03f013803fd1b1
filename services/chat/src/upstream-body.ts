import type { Slot } from "@tollgate/catalog/model";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import { spliceParts } from "@tollgate/upstream/json-body";
import type { Session } from "./conversations/session.ts";

/**
 * The body that a slot is sent: what the gateway decides, the stored turns with the client's
 * messages behind them, and the client's other members, in pieces. What is JSON already is neither
 * parsed again nor copied: a conversation may hold many megabytes.
 */
export function upstreamBody(
  call: ChatCall,
  slot: Slot,
  session: Session | undefined,
  options: { stream: boolean; maxTokens: bigint },
): Uint8Array[] {
  const decided: Record<string, unknown> = { model: slot.upstreamModel };
  decided[ceilingFieldOf(call, slot)] = Number(options.maxTokens);
  if (options.stream) {
    decided.stream = true;
    decided.stream_options = { include_usage: true };
  }
  const all = [...(session?.prefix.content ?? []), call.messages.subarray(1)];
  const isLast = call.body.byteLength === "{}".length;
  return spliceParts(decided, call.body, [opening, ...all, ...(isLast ? [] : [comma])]);
}

/** What a slot does not know may be an error there, or be passed over, the ceiling with it. */
function ceilingFieldOf({ maxTokensField }: ChatCall, slot: Slot): string {
  return slot.maxTokensField ?? (maxTokensField || "max_completion_tokens");
}

const opening = Buffer.from('"messages":[');
const comma = Buffer.from(",");
