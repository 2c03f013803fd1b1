import type { JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { OcrAdapter } from "../ocr-adapter.ts";
import { checkDocument, postDocument } from "./ocr-document.ts";
import { createBatchJob, readBatchJob } from "./ocr-jobs.ts";

/**
 * OCR by Mistral's API: https://docs.mistral.ai/api/endpoint/ocr, whose response is sent as it comes.
 * Its jobs are batch jobs of one request.
 */
export const mistralOcr: OcrAdapter = {
  check: checkDocument,
  async read(providers, slot, upload, call) {
    const bodyOf = (document: JsonObject) => ({ model: slot.upstreamModel, document });
    const sent = { path: slot.path, bodyOf };
    const { bytes, value } = await postDocument(providers, slot, sent, upload, call);
    if (Array.isArray(value.pages)) return { status: 200, bytes, value };
    throw new SlotFailure("rejected", "the provider's response has no pages");
  },
  createJob: createBatchJob,
  readJob: readBatchJob,
};
