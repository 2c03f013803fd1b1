import type { Model } from "@tollgate/catalog/model";
import type { Cancellable } from "@tollgate/core/cancellation";
import { highestCostOfUnits } from "@tollgate/generation/estimate";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { ocrAdapterOf } from "@tollgate/providers/ocr";
import type { OcrUpload } from "@tollgate/providers/ocr-adapter";
import { SlotFailure } from "@tollgate/upstream/failure";
import { jobStateOf } from "./job-state.ts";
import { measurePages } from "./measure-pages.ts";

interface DocumentCall {
  /** `pages` is the most that its files can have. */
  form: OcrUpload & { pages: number };
  model: Model;
  caller: Caller;
  cancellation: Cancellable;
}

/** Reads a document. Returns the provider's JSON, byte for byte. Bills what `measurePages` returns. */
export function recognizeDocument(
  { engine, providers }: Pick<ProviderRuntime, "engine" | "providers">,
  { form, model, caller, cancellation }: DocumentCall,
): Promise<Uint8Array> {
  const { requestId } = caller;
  const { signal } = cancellation;
  const estimate = highestCostOfUnits(model, BigInt(form.pages));
  const billable = { caller, model, estimate, cancellation };
  return engine.generate(billable, async (generation) => {
    const { slot, response } = await generation.attempt(async (slot) => {
      const call = { requestId, signal };
      const read = await ocrAdapterOf(slot).read(providers, slot, form, call);
      if (jobStateOf(read.value) !== "failed") return read;
      throw new SlotFailure("unusable", "the provider could not read the document");
    });
    const sent = { fileParts: form.files.length, pages: form.pages };
    await generation.settle(slot, measurePages(response.value, sent, slot));
    return response.bytes;
  });
}
