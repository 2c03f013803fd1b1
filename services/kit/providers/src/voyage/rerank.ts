import { SlotFailure } from "@tollgate/upstream/failure";
import type { JsonAdapter } from "../json-adapter.ts";

/** Rerank by Voyage AI's API: https://docs.voyageai.com/reference/reranker-api */
export const voyageRerank: JsonAdapter = {
  request(_slot, { model, query, documents, top_n }) {
    return { model, query, documents, ...(top_n == null ? {} : { top_k: top_n }) };
  },
  response({ data, object: _list, ...value }) {
    if (Array.isArray(data)) return { ...value, results: data };
    if (Array.isArray(value.results)) return value;
    throw new SlotFailure("rejected", "the provider's response has no list data");
  },
};
