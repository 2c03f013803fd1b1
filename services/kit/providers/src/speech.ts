import type { Model, Slot } from "@tollgate/catalog/model";
import type { PostCall, ProviderClient } from "@tollgate/upstream/provider-client";
import { type ProviderResponse, readJson } from "@tollgate/upstream/provider-response";
import { requestIdHeader } from "@tollgate/upstream/request-id-header";
import { spliceBody } from "@tollgate/upstream/splice-body";
import type { ClientBody } from "./client-body.ts";
import type { SpeechMembers } from "./speech-adapter.ts";
import { vendorOf } from "./vendor-of.ts";

/**
 * Throws `invalid_param` where a slot of the model cannot be sent the whole request.
 */
export function checkSpeech({ chain }: Model, body: ClientBody<SpeechMembers>): void {
  for (const slot of chain) vendorOf(slot).speech?.request(slot, body.members);
}

/**
 * Posts a speech request to a slot. The bytes are forwarded where the provider speaks OpenAI's wire, and
 * translated otherwise. Throws what `ProviderClient.post` throws.
 */
export async function postSpeech(
  providers: ProviderClient,
  slot: Slot,
  client: ClientBody<SpeechMembers>,
  call: PostCall,
): Promise<ProviderResponse> {
  const adapter = vendorOf(slot).speech;
  if (adapter === undefined) {
    return providers.post(slot, spliceBody({ model: slot.upstreamModel }, client.bytes), call);
  }
  const { path, query, body } = adapter.request(slot, client.members);
  const type = { "content-type": "application/json", accept: call.accept };
  const headers = { ...type, ...requestIdHeader(call.requestId) };
  const sent = Buffer.from(JSON.stringify(body));
  const request = { method: "POST", path, query, headers, body: sent } as const;
  const response = await providers.send(slot, request, call.signal);
  return adapter.response?.(response, client.members, call.signal) ?? response;
}

/** Returns a voice that the slot's model usually has; OpenAI's `alloy` for a kind without an adapter. */
export function usualVoiceOf(slot: Slot): string {
  return vendorOf(slot).speech?.usualVoice(slot) ?? "alloy";
}

/** Resolves with the JSON of a slot's voices. Throws what `ProviderClient.send` throws. */
export async function readVoices(
  providers: ProviderClient,
  slot: Slot,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const voices = vendorOf(slot).speech?.voices;
  if (typeof voices === "object") return Buffer.from(JSON.stringify(voices));
  const path = slot.voicesPath ?? voices ?? "/audio/voices";
  const query = voices === undefined ? { query: { model: slot.upstreamModel } } : {};
  const headers = { accept: "application/json" };
  const response = await providers.send(slot, { method: "GET", path, ...query, headers }, signal);
  return (await readJson(response, signal)).bytes;
}
