import type { Modality } from "@tollgate/generation/provider-runtime";
import { readJson } from "@tollgate/upstream/provider-client";

/** The voices of a speech alias, as its provider tells them. Costs nothing and needs no money. */
export async function listVoices(
  { pipeline, providers }: Modality,
  alias: string,
  signal: AbortSignal,
): Promise<{ body: Uint8Array }> {
  const model = pipeline.resolve(alias, "speech");
  const { answer } = await pipeline.walk(model, async (slot) => {
    const path = slot.voicesPath ?? "/audio/voices";
    const query = { model: slot.upstreamModel };
    const headers = { accept: "application/json" };
    return readJson(
      await providers.send(slot, { method: "GET", path, query, headers }, signal),
      signal,
    );
  });
  return { body: answer.bytes };
}
