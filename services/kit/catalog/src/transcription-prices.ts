import { StartError } from "@tollgate/core/errors";
import type { Slot } from "./model.ts";
import { isByToken } from "./price-schema.ts";
import type { ModelEntry } from "./schema.ts";

type TranscriptionEntry = Extract<ModelEntry, { route_type: "transcriptions" }>;

/**
 * Throws where a slot has prices of another unit than its model, and where a model is priced by tokens
 * that a slot does not report: live audio, and files of other vendors, are counted in seconds.
 */
export function checkTranscriptionPrices(
  { pricing, chain: entries }: TranscriptionEntry,
  chain: readonly Slot[],
  path: string,
): void {
  const isTokens = isByToken(pricing);
  for (const [index, slot] of chain.entries()) {
    for (const field of ["pricing", "cost"] as const) {
      const own = entries[index]?.[field];
      if (own === undefined || isByToken(own) === isTokens) continue;
      const problem = `must be by ${isTokens ? "tokens" : "seconds"}, as that of the model is`;
      throw new StartError(`${path}.chain[${index}].${field}: ${problem}`);
    }
    if (isTokens) requireTokens(slot, path, index);
  }
}

function requireTokens({ provider, stream }: Slot, path: string, index: number): void {
  if (provider.takesTranscriptionForms !== true) {
    const problem = `"${provider.name}" does not report tokens of transcriptions`;
    throw new StartError(`${path}.pricing: must be by seconds, since ${problem}`);
  }
  if (stream === undefined) return;
  const field = `${path}.chain[${index}].${"url" in stream ? "stream_url" : "stream_path"}`;
  const reason = "the model is priced by tokens, and live audio is counted in seconds";
  throw new StartError(`${field}: must not be set, since ${reason}`);
}
