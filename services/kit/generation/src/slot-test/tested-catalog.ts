import { withEachKey } from "@tollgate/catalog/key-pool";
import type { Catalog, Model, Provider, Slot } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import type { SlotTest, UnsavedCatalog } from "@tollgate/proto/tollgate/v1/slot_test";
import { readCatalogParam } from "@tollgate/providers/catalog-param";
import type { ProviderClient } from "@tollgate/upstream/provider-client";
import type { ProviderRuntime } from "../provider-runtime.ts";

/** The name under which the typed key of a test stands in for a stored one. */
const typedKey = "typed";

/** A catalog to try, and the client that calls its providers. */
interface TestedCatalog {
  catalog: Catalog;
  /** Returns a provider with the key of the test. */
  withKey(provider: Provider): Provider;
  providers: ProviderClient;
  close(): Promise<void>;
}

/** Opens what a test calls: the model with the slot as its only one. See `testSlot`. */
export function openTested(runtime: ProviderRuntime, { alias, slot: slotId, unsaved }: SlotTest) {
  const { catalog, withKey, providers, close } = openCatalog(runtime, unsaved);
  const model = catalog.models.get(alias);
  const slot = model?.chain.find(({ id }) => slotId === "" || id === slotId);
  if (model === undefined || slot === undefined) {
    const name = slotId === "" ? `model ${alias}` : `slot ${slotId} of the model ${alias}`;
    throw new GatewayError("not_found", `The catalog has no ${name}.`, { param: "slot" });
  }
  const tested = { ...slot, keySlots: undefined, provider: withKey(slot.provider) };
  return { model: withSlot(model, tested), slot: tested, providers, close };
}

/** Opens a provider whose models are listed. Throws as `openTested` does. */
export function openProvider(
  runtime: ProviderRuntime,
  name: string,
  unsaved: UnsavedCatalog | undefined,
) {
  const { catalog, withKey, providers, close } = openCatalog(runtime, unsaved);
  const provider = catalog.providers.get(name);
  if (provider === undefined) {
    const message = `The catalog has no provider ${JSON.stringify(name.slice(0, 64))}.`;
    throw new GatewayError("not_found", message, { param: "provider" });
  }
  return { provider: withKey(provider), providers, close };
}

function openCatalog(
  { catalog, providers, clientWith }: ProviderRuntime,
  unsaved: UnsavedCatalog | undefined,
): TestedCatalog {
  const kept = { withKey: withFirstKey, providers, close: async () => {} };
  if (unsaved === undefined) return { catalog: catalog(), ...kept };
  const parsed = readCatalogParam(unsaved.text);
  if (unsaved.apiKey === "") return { catalog: parsed, ...kept };
  const client = clientWith({
    current: () => unsaved.apiKey,
    problemOf: () => undefined,
    recent: () => [unsaved.apiKey],
  });
  const none = { apiKeyEnv: undefined, identity: undefined, key: undefined, keys: undefined };
  const typed = { ...none, secret: typedKey };
  const withKey = (provider: Provider) => ({ ...provider, ...typed });
  return { catalog: parsed, withKey, providers: client, close: client.close };
}

/** Of a pool, the first key is tried. */
function withFirstKey(provider: Provider): Provider {
  return withEachKey(provider)[0] ?? provider;
}

/** Sizes of images have prices for a chain of their own. */
function withSlot(model: Model, slot: Slot): Model {
  const { imageSizes } = model;
  if (imageSizes === undefined) return { ...model, chain: [slot] };
  const sizes = [...imageSizes].map(([size, sized]): [string, Model] => {
    const pricing = sized === model ? slot.pricing : sized.pricing;
    return [size, { ...sized, chain: [{ ...slot, pricing }] }];
  });
  return { ...model, chain: [slot], imageSizes: new Map(sizes) };
}
