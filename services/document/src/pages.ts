import { isJsonObject, type JsonObject, readCount } from "@tollgate/core/json";

/** The page count that a provider's card reports; undefined when it reports none. */
export function reportedPages(answer: JsonObject): bigint | undefined {
  const info: JsonObject = isJsonObject(answer.usage_info) ? answer.usage_info : {};
  const usage: JsonObject = isJsonObject(answer.usage) ? answer.usage : {};
  return (
    readCount(answer.pages) ??
    readCount(answer.page_count) ??
    readCount(info.pages_processed) ??
    readCount(usage.pages) ??
    (Array.isArray(answer.pages) ? BigInt(answer.pages.length) : undefined)
  );
}
