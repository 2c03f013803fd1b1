import type { JsonAdapter } from "../json-adapter.ts";

/** Rerank by Jina AI's API: https://api.jina.ai/docs */
export const jinaRerank: JsonAdapter = {
  request(_slot, { model, query, documents, top_n }) {
    // By default, the documents are returned.
    const results = { return_documents: false, ...(top_n == null ? {} : { top_n }) };
    return { model, query, documents, ...results };
  },
  response: (value) => value,
};
