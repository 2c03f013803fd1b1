import type { ProviderKind, Slot } from "@tollgate/catalog/model";
import { deepgramLive } from "./deepgram/live.ts";
import { elevenlabsLive } from "./elevenlabs/live.ts";
import type { LiveAdapter } from "./live-adapter.ts";

const adapters: { readonly [Kind in ProviderKind]?: LiveAdapter } = {
  elevenlabs: elevenlabsLive,
  deepgram: deepgramLive,
};

/** The wire of a provider whose events are the gateway's own. */
const ownWire: LiveAdapter = {
  query: () => ({}),
  audio: (chunk) => chunk,
  end: JSON.stringify({ action: "flush" }),
  event: (value) => value,
};

/** Returns the adapter of a slot that takes live audio. */
export function liveAdapterOf({ provider: { kind = "openai" } }: Slot): LiveAdapter {
  return adapters[kind] ?? ownWire;
}
