import type { Model, ProviderKind, Slot } from "@tollgate/catalog/model";
import { spliceBody } from "@tollgate/upstream/json-body";
import type {
  PostCall,
  ProviderClient,
  ProviderRequest,
  ProviderResponse,
} from "@tollgate/upstream/provider-client";
import { requestIdHeader } from "@tollgate/upstream/provider-client";
import { deepgramSpeech } from "./deepgram/speech.ts";
import { elevenlabsSpeech } from "./elevenlabs/speech.ts";
import type { SpeechAdapter, SpeechMembers } from "./speech-adapter.ts";

const adapters: { readonly [Kind in ProviderKind]?: SpeechAdapter } = {
  elevenlabs: elevenlabsSpeech,
  deepgram: deepgramSpeech,
};

function adapterOf({ provider: { kind = "openai" } }: Slot): SpeechAdapter | undefined {
  return adapters[kind];
}

/**
 * Throws `invalid_param` where a slot of the model cannot be sent the whole request. `body` is the
 * client's, without its model.
 */
export function checkSpeech({ chain }: Model, body: Uint8Array): void {
  for (const slot of chain) adapterOf(slot)?.request(slot, membersOf(body));
}

/**
 * Posts a speech request to a slot. The bytes are forwarded where the provider speaks OpenAI's wire, and
 * translated otherwise. Throws what `ProviderClient.post` throws.
 */
export function postSpeech(
  providers: ProviderClient,
  slot: Slot,
  body: Uint8Array,
  call: PostCall,
): Promise<ProviderResponse> {
  const adapter = adapterOf(slot);
  if (adapter === undefined) {
    return providers.post(slot, spliceBody({ model: slot.upstreamModel }, body), call);
  }
  const { path, query, body: own } = adapter.request(slot, membersOf(body));
  const type = { "content-type": "application/json", accept: call.accept };
  const headers = { ...type, ...requestIdHeader(call.requestId) };
  const sent = Buffer.from(JSON.stringify(own));
  return providers.send(slot, { method: "POST", path, query, headers, body: sent }, call.signal);
}

/** Returns the request that lists the voices of a slot. */
export function voicesRequest(slot: Slot): Pick<ProviderRequest, "path" | "query"> {
  const adapter = adapterOf(slot);
  if (adapter !== undefined) return { path: slot.voicesPath ?? adapter.voicesPath };
  return { path: slot.voicesPath ?? "/audio/voices", query: { model: slot.upstreamModel } };
}

function membersOf(body: Uint8Array): SpeechMembers {
  return JSON.parse(Buffer.from(body).toString("utf8")) as SpeechMembers;
}
