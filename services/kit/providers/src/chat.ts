import type { Model, Provider, ProviderKind, Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type {
  PostCall,
  ProviderClient,
  ProviderResponse,
} from "@tollgate/upstream/provider-client";
import type { ChatAdapter } from "./ai-sdk/chat-adapter.ts";
import { checkXaiChat } from "./xai/chat.ts";

/**
 * Loads the adapter of each kind whose wire of chat is not OpenAI's. The packages of providers take
 * some 20 MB of memory, which a gateway without such a provider saves.
 */
const adapters: { readonly [Kind in ProviderKind]?: () => Promise<ChatAdapter> } = {
  anthropic: async () => (await import("./anthropic/chat.ts")).anthropicChat,
  google: async () => (await import("./google/chat.ts")).googleChat,
  cohere: async () => (await import("./cohere/chat.ts")).cohereChat,
  mistral: async () => (await import("./mistral/chat.ts")).mistralChat,
  bedrock: async () => (await import("./bedrock/chat.ts")).bedrockChat,
};

/** Checks the requests of each kind that speaks OpenAI's wire without all of its members. */
const checks: {
  readonly [Kind in ProviderKind]?: (slot: Slot, request: JsonObject) => void;
} = { xai: checkXaiChat };

function isAdapted({ kind = "openai" }: Provider): boolean {
  return adapters[kind] !== undefined;
}

async function adapterOf({ kind = "openai" }: Provider): Promise<ChatAdapter | undefined> {
  return adapters[kind]?.();
}

function isChecked({ kind = "openai" }: Provider): boolean {
  return adapters[kind] !== undefined || checks[kind] !== undefined;
}

/**
 * Throws a GatewayError where a slot of the model cannot be sent the whole request. `request` is
 * called only where a slot takes less than OpenAI's API.
 */
export async function checkChat({ chain }: Model, request: () => JsonObject): Promise<void> {
  const checked = chain.filter(({ provider }) => isChecked(provider));
  if (checked.length === 0) return;
  const members = request();
  for (const slot of checked) {
    checks[slot.provider.kind ?? "openai"]?.(slot, members);
    await (await adapterOf(slot.provider))?.check(slot, members);
  }
}

/**
 * Posts a chat completion request to a slot. The bytes are forwarded where the provider speaks
 * OpenAI's wire, and translated otherwise. Throws what `ProviderClient.post` throws.
 */
export function postChat(
  providers: ProviderClient,
  slot: Slot,
  body: readonly Uint8Array[],
  call: PostCall,
): Promise<ProviderResponse> {
  if (!isAdapted(slot.provider)) return providers.post(slot, body, call);
  return postAdapted(providers, slot, body, call);
}

async function postAdapted(
  providers: ProviderClient,
  slot: Slot,
  body: readonly Uint8Array[],
  call: PostCall,
): Promise<ProviderResponse> {
  const adapter = await adapterOf(slot.provider);
  if (adapter === undefined) return providers.post(slot, body, call);
  const request = JSON.parse(Buffer.concat(body).toString("utf8")) as JsonObject;
  return adapter.post(providers, slot, request, call);
}
