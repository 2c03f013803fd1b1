import type { Slot } from "@tollgate/catalog/model";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { highestCostOfUnits } from "@tollgate/generation/estimate";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import { type ProxiedRequest, sendJsonBytes } from "@tollgate/http/proxied-request";
import { type Measurement, measureUnits } from "@tollgate/metering/measurement";
import { ocrAdapterOf } from "@tollgate/providers/ocr";
import { SlotFailure } from "@tollgate/upstream/failure";
import { reportedPages } from "../pages.ts";
import { withOcrForm } from "./form.ts";
import { jobStateOf } from "./job-state.ts";

/**
 * Handles POST /v1/ocr, which the edge proxies: sends the provider's JSON, byte for byte. Bills the
 * pages that the provider reports, else one page per file.
 */
export async function handleOcr(runtime: ProviderRuntime, request: ProxiedRequest): Promise<void> {
  const { engine, providers } = runtime;
  const { res, caller, signal } = request;
  await withOcrForm(runtime, request, async (form, model) => {
    const { requestId } = caller;
    const estimate = highestCostOfUnits(model, BigInt(form.pages));
    const bytes = await engine.generate({ caller, model, estimate }, async (generation) => {
      const { slot, response } = await generation.attempt(async (slot) => {
        const call = { requestId, signal };
        const read = await ocrAdapterOf(slot).read(providers, slot, form, call);
        if (jobStateOf(read.value) !== "failed") return read;
        throw new SlotFailure("unusable", "the provider could not read the document");
      });
      await generation.settle(slot, measurePages(response.value, form.files.length, slot));
      return response.bytes;
    });
    sendJsonBytes(res, bytes);
  });
}

/** Measures the pages that the provider reports, else one page per file. */
export function measurePages(response: JsonObject, fileParts: number, slot: Slot): Measurement {
  const reported = reportedPages(response);
  const quantity = reported ?? BigInt(fileParts);
  const basis = reported === undefined ? "file_parts" : "provider";
  const usage = response.usage_info ?? response.usage;
  const providerUsage = isJsonObject(usage) ? usage : undefined;
  return measureUnits({ quantity, basis, providerUsage }, slot);
}
