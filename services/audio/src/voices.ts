import { voicesRequest } from "@tollgate/adapters/speech";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import type { ListVoicesRequest } from "@tollgate/proto/tollgate/v1/audio";
import { readJson } from "@tollgate/upstream/provider-client";

/** Returns the voices of a speech alias as its provider lists them. Costs nothing. */
export async function listVoices(
  { engine, providers }: ProviderRuntime,
  { alias, caller }: ListVoicesRequest,
  signal: AbortSignal,
): Promise<{ body: Uint8Array }> {
  const model = engine.resolve(alias, "speech", caller);
  const { response } = await engine.attemptFree(model, async (slot) => {
    const headers = { accept: "application/json" };
    const request = { method: "GET", ...voicesRequest(slot), headers } as const;
    return readJson(await providers.send(slot, request, signal), signal);
  });
  return { body: response.bytes };
}
