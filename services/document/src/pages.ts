import { isJsonObject, type JsonObject, readCount } from "@tollgate/core/json";

/** Returns the page count that a provider's response reports, or undefined. */
export function reportedPages(response: JsonObject): bigint | undefined {
  const info: JsonObject = isJsonObject(response.usage_info) ? response.usage_info : {};
  const usage: JsonObject = isJsonObject(response.usage) ? response.usage : {};
  return (
    readCount(response.pages) ??
    readCount(response.page_count) ??
    readCount(info.pages_processed) ??
    readCount(usage.pages) ??
    (Array.isArray(response.pages) ? BigInt(response.pages.length) : undefined)
  );
}
