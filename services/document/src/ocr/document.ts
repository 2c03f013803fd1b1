import type { Slot } from "@tollgate/catalog/model";
import { dearestCostOfUnits } from "@tollgate/generation/pipeline";
import type { Modality } from "@tollgate/generation/provider-runtime";
import { type ProxiedRequest, sendJsonBytes } from "@tollgate/http/proxied-request";
import { type Measurement, measureUnits } from "@tollgate/metering/measurement";
import { SlotFailure } from "@tollgate/upstream/failure";
import { reportedPages } from "../pages.ts";
import { withOcrForm } from "./form.ts";
import { forwardForm } from "./forward.ts";
import { jobStateOf } from "./job-state.ts";

/**
 * POST /v1/ocr, as the edge proxies it: the provider's JSON, byte for byte. Bills the pages that
 * the provider reports, else the files.
 */
export async function answerOcr(modality: Modality, request: ProxiedRequest): Promise<void> {
  const { pipeline, providers } = modality;
  const { res, caller, signal } = request;
  await withOcrForm(modality, request, async (form, model) => {
    const { requestId } = caller;
    const { answer } = await pipeline.run({
      caller,
      model,
      estimate: dearestCostOfUnits(model, BigInt(form.pages)),
      async ask(slot) {
        const order = { path: slot.path, requestId };
        const read = await forwardForm(providers, slot, order, form, signal);
        if (jobStateOf(read.value) !== "failed") return read;
        throw new SlotFailure("unusable", "the provider could not read the document");
      },
      measure: ({ value }, slot) => measurePages(reportedPages(value), form.fileParts, slot),
    });
    sendJsonBytes(res, answer.bytes);
  });
}

/** Pages as the provider counts them, else a page a file. */
export function measurePages(
  reported: bigint | undefined,
  fileParts: number,
  slot: Slot,
): Measurement {
  const quantity = reported ?? BigInt(fileParts);
  const basis = reported === undefined ? "file_parts" : "provider";
  return measureUnits({ quantity, basis }, slot);
}
