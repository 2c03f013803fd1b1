import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import { postChat } from "@tollgate/providers/chat";
import type { ProviderClient, ProviderResponse } from "@tollgate/upstream/provider-client";
import type { ClientRequest } from "../client-request.ts";
import type { Sending } from "../wire.ts";

/**
 * Posts the chat completion request that another wire's request was translated to. Throws what
 * `postChat` throws.
 */
export function postTranslated(
  providers: ProviderClient,
  { call }: ClientRequest,
  slot: Slot,
  chat: JsonObject,
  { isStream, maxTokens, signal }: Sending,
): Promise<ProviderResponse> {
  const { upstreamModel: model, maxTokensField = "max_completion_tokens" } = slot;
  const streamed = isStream ? { stream: true, stream_options: { include_usage: true } } : {};
  const request = { model, [maxTokensField]: Number(maxTokens), ...streamed, ...chat };
  const body = [Buffer.from(JSON.stringify(request))];
  const accept = isStream ? "text/event-stream" : "application/json";
  const { requestId = "" } = call.caller ?? {};
  return postChat(providers, slot, body, { accept, requestId, signal });
}
