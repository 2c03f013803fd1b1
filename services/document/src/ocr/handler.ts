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
 * Handles POST /v1/ocr, which the edge proxies: sends the provider's JSON, byte for byte. Bills what
 * `measurePages` returns. A provider that was called responds although the client leaves.
 */
export async function handleOcr(runtime: ProviderRuntime, request: ProxiedRequest): Promise<void> {
  const { engine, providers } = runtime;
  const { res, caller, cancellation } = request;
  const { signal } = cancellation;
  await withOcrForm(runtime, request, async (form, model) => {
    const { requestId } = caller;
    const estimate = highestCostOfUnits(model, BigInt(form.pages));
    const billable = { caller, model, estimate, cancellation };
    const bytes = await engine.generate(billable, async (generation) => {
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
    sendJsonBytes(res, bytes);
  });
}

/** What the client sent: its files, and the most pages that they can have. */
export interface SentPages {
  fileParts: number;
  pages: number;
}

/**
 * Measures the pages that the provider reports, else one page per file. Where the slot measures what is
 * not reported, it is the pages of the files: for a PDF, those of its page tree.
 */
export function measurePages(
  response: JsonObject,
  { fileParts, pages }: SentPages,
  slot: Slot,
): Measurement {
  const usage = response.usage_info ?? response.usage;
  const providerUsage = isJsonObject(usage) ? usage : undefined;
  const reported = reportedPages(response);
  if (reported !== undefined) {
    return measureUnits({ quantity: reported, basis: "provider", providerUsage }, slot);
  }
  const used = slot.measuresUnreported
    ? { quantity: BigInt(pages), basis: "page_tree" }
    : { quantity: BigInt(fileParts), basis: "file_parts" };
  return measureUnits({ ...used, providerUsage }, slot);
}
