import type { Slot } from "@tollgate/catalog/model";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import type { ListVoicesRequest } from "@tollgate/proto/tollgate/v1/audio";
import { readVoices } from "@tollgate/providers/speech";

/** Returns the voices of a speech alias as its provider lists them. Costs nothing. */
export async function listAliasVoices(
  { engine, providers }: ProviderRuntime,
  { alias, caller }: ListVoicesRequest,
  signal: AbortSignal,
): Promise<{ body: Uint8Array }> {
  const model = engine.resolve(alias, "speech", caller);
  const attempt = (slot: Slot) => readVoices(providers, slot, signal);
  const { response } = await engine.attemptFree(model, attempt, caller);
  return { body: response };
}
