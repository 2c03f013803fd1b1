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
    const path = slot.voicesPath ?? "/audio/voices";
    const query = { model: slot.upstreamModel };
    const headers = { accept: "application/json" };
    return readJson(
      await providers.send(slot, { method: "GET", path, query, headers }, signal),
      signal,
    );
  });
  return { body: response.bytes };
}
