import type { Slot } from "@tollgate/kit/catalog/model";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";

/**
 * The body that a slot is sent: what the gateway decides, spliced in front of the client's own
 * members, which are neither parsed nor written again.
 */
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
  const members = Buffer.from(call.body.buffer, call.body.byteOffset, call.body.byteLength);
  const rest = members.toString("utf8", 1);
  return `${JSON.stringify(decided).slice(0, -1)}${rest === "}" ? "" : ","}${rest}`;
}
