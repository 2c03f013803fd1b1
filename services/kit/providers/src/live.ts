import type { Slot } from "@tollgate/catalog/model";
import type { LiveAdapter } from "./live-adapter.ts";
import { vendorOf } from "./vendor-of.ts";

/** The wire of a provider whose events are the gateway's own. */
const ownWire: LiveAdapter = {
  query: () => ({}),
  audio: (chunk) => chunk,
  end: JSON.stringify({ action: "flush" }),
  event: (value) => value,
};

/** Returns the adapter of a slot that takes live audio. */
export function liveAdapterOf(slot: Slot): LiveAdapter {
  return vendorOf(slot).live ?? ownWire;
}
