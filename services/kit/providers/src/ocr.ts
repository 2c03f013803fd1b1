import type { Model, ProviderKind, Slot } from "@tollgate/catalog/model";
import { mistralOcr } from "./mistral/ocr.ts";
import type { OcrAdapter, OcrUpload } from "./ocr-adapter.ts";
import { openaiOcr } from "./openai/ocr.ts";

const adapters: { readonly [Kind in ProviderKind]?: OcrAdapter } = { mistral: mistralOcr };

/** Returns the adapter of a slot's kind. */
export function ocrAdapterOf({ provider: { kind = "openai" } }: Slot): OcrAdapter {
  return adapters[kind] ?? openaiOcr;
}

/** Throws `invalid_param` where a slot of the model cannot be sent the whole form. */
export function checkOcr({ chain }: Model, upload: OcrUpload): void {
  for (const slot of chain) ocrAdapterOf(slot).check?.(upload);
}
