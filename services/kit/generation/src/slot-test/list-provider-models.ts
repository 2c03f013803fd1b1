import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Provider, Slot } from "@tollgate/catalog/model";
import type {
  ListProviderModelsRequest,
  ListProviderModelsResponseSchema,
} from "@tollgate/proto/tollgate/v1/slot_test";
import { vendorOf } from "@tollgate/providers/vendor-of";
import { SlotFailure } from "@tollgate/upstream/failure";
import { readJson } from "@tollgate/upstream/provider-response";
import type { ProviderRuntime } from "../provider-runtime.ts";
import { errorTextOf } from "./error-text.ts";
import { openProvider } from "./tested-catalog.ts";

const timeoutMs = 20_000;
/** The most models of a provider. OpenRouter lists about 500. */
const maxModels = 5_000;
const maxIdLength = 256;

/**
 * Resolves with the ids of the models that a provider's key can see, or with the provider's error. Throws
 * `not_found` for a provider that the catalog does not have, and `invalid_param` for an unsaved catalog that is
 * not valid.
 */
export async function listProviderModels(
  runtime: ProviderRuntime,
  { provider: name, unsaved }: ListProviderModelsRequest,
  signal: AbortSignal,
): Promise<MessageInitShape<typeof ListProviderModelsResponseSchema>> {
  const { provider, providers, close } = openProvider(runtime, name, unsaved);
  const list = vendorOf({ provider }).modelList;
  try {
    if (list === undefined) {
      return { error: `The API of the kind ${provider.kind.name} has no list of models.` };
    }
    const { path, baseUrl = (url: string) => url } = list;
    const called = { ...provider, ...(provider.baseUrl && { baseUrl: baseUrl(provider.baseUrl) }) };
    const slot = slotOf(called, path);
    const request = { method: "GET", path, headers: { accept: "application/json" } } as const;
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const response = await providers.send(slot, request, limited);
      const { value } = await readJson(response, limited);
      const ids = list.idsOf(value).filter((id) => id !== "" && id.length <= maxIdLength);
      const models = [...new Set(ids)].sort().slice(0, maxModels);
      return { models: models.map((id) => ({ id })), status: response.status };
    } catch (error) {
      if (!(error instanceof SlotFailure) && !limited.aborted) throw error;
      if (!(error instanceof SlotFailure)) return { error: "The provider took too long." };
      const redact = (text: string) => providers.redact(slot, text);
      return { error: errorTextOf(error, provider.kind, redact), status: error.status ?? 0 };
    }
  } finally {
    await close();
  }
}

/** Returns a slot for `ProviderClient.send`, which reads only its provider and path. */
function slotOf(provider: Provider, path: string): Slot {
  return { id: provider.name, provider, path } as Slot;
}
