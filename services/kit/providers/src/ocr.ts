import type { Model, Slot } from "@tollgate/catalog/model";
import type { OcrAdapter, OcrUpload } from "./ocr-adapter.ts";
import { openaiOcr } from "./openai/ocr.ts";
import { vendorOf } from "./vendor-of.ts";

/** Returns the adapter of a slot's kind. */
export function ocrAdapterOf(slot: Slot): OcrAdapter {
  return vendorOf(slot).ocr ?? openaiOcr;
}

/** Throws `invalid_param` where a slot of the model cannot be sent the whole form. */
export function checkOcr({ chain }: Model, upload: OcrUpload): void {
  for (const slot of chain) ocrAdapterOf(slot).check?.(upload);
}
