import type { Slot } from "@tollgate/kit/catalog/model";
import { spliceBody } from "@tollgate/kit/upstream/json-body";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";

/** The body that a slot is sent: what the gateway decides, and the client's own members. */
export function upstreamBody(
  call: ChatCall,
  slot: Slot,
  options: { stream: boolean; maxTokens: bigint },
): string {
  const decided: Record<string, unknown> = { model: slot.upstreamModel };
  decided[call.maxTokensField || slot.maxTokensField] = Number(options.maxTokens);
  if (options.stream) {
    decided.stream = true;
    decided.stream_options = { include_usage: true };
  }
  return spliceBody(decided, call.body);
}
