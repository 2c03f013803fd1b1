import type { Slot } from "@tollgate/catalog/model";
import { type JsonObject, objectsIn } from "@tollgate/core/json";
import { chatAdapterOf, isAdapted } from "@tollgate/providers/chat";
import type { AdaptedChunks } from "@tollgate/providers/chat-adapter";
import { withMediaBehind } from "@tollgate/providers/result-media";
import type { ProviderBody } from "@tollgate/upstream/provider-call";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import { readJsonObject } from "@tollgate/upstream/provider-response";
import type { ClientRequest } from "../client-request.ts";
import { pairResults } from "../paired-results.ts";
import type { Sending } from "../wire.ts";
import { ceilingFieldOf, streamOptionsOf } from "./body.ts";
import { withTurns } from "./stored-turns.ts";

/**
 * Sends a slot the chat completion request that a client's request was translated to. Resolves with the
 * completion. Throws what `ProviderClient.post` throws.
 */
export async function completeTranslated(
  providers: ProviderClient,
  client: ClientRequest,
  slot: Slot,
  chat: JsonObject,
  sending: Sending,
): Promise<JsonObject> {
  const { signal } = sending;
  const requestId = requestIdOf(client);
  const request = requestFor(client, slot, chat, sending);
  const adapter = await chatAdapterOf(slot);
  if (adapter !== undefined) {
    return adapter.complete(providers, slot, request, { requestId, signal });
  }
  const call = { accept: "application/json", requestId, signal } as const;
  const sent = await providers.post(slot, Buffer.from(JSON.stringify(request)), call);
  return (await readJsonObject(sent, signal)).value;
}

/** Does the same for a stream: resolves with its bytes, or with the chunks that an adapter makes. */
export async function streamTranslated(
  providers: ProviderClient,
  client: ClientRequest,
  slot: Slot,
  chat: JsonObject,
  sending: Sending,
): Promise<ProviderBody | AdaptedChunks> {
  const { signal } = sending;
  const requestId = requestIdOf(client);
  const request = requestFor(client, slot, chat, sending);
  const adapter = await chatAdapterOf(slot);
  if (adapter !== undefined) {
    return adapter.stream(providers, slot, request, { requestId, signal });
  }
  const call = { accept: "text/event-stream", requestId, signal } as const;
  const { body } = await providers.post(slot, Buffer.from(JSON.stringify(request)), call);
  return body;
}

function requestIdOf({ call }: ClientRequest): string {
  return call.caller?.requestId ?? "";
}

/** Returns the whole request for a slot, which has the results of tools as its provider takes them. */
export function requestFor(
  { call }: ClientRequest,
  slot: Slot,
  chat: JsonObject,
  { isStream, maxTokens, session }: Omit<Sending, "signal">,
): JsonObject {
  const streamed = isStream ? { stream: true, stream_options: streamOptionsOf(slot) } : {};
  const limit = { [ceilingFieldOf(call, slot)]: Number(maxTokens) };
  const request = withTurns(chat, session);
  const paired = pairResults(objectsIn(request.messages));
  const messages = isAdapted(slot) ? paired : withMediaBehind(paired);
  return { model: slot.upstreamModel, ...limit, ...streamed, ...request, messages };
}
