import type { Slot } from "@tollgate/catalog/model";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { type Measurement, measureUnits } from "@tollgate/metering/measurement";
import { reportedPages } from "../pages.ts";

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
