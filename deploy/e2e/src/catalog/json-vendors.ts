import { chatModel, embeddingsModel, imageModel, searches, slot, unitModel } from "./entries.ts";
import { googleMedia } from "./google-media.ts";

/** Models of the vendors whose wire is not OpenAI's, or has other headers. */
export function vendorModels() {
  const claudePricing = { input: "0.15", cache_write_1h: "0.30", output: "0.60" };
  const embedder = (alias: string, chain: object[]) => ({
    ...embeddingsModel(alias, ""),
    chain,
  });
  const ranker = (alias: string, chain: object[]) => ({
    ...unitModel("rerank", alias, "", searches),
    chain,
  });
  const embedders = ["cohere", "google", "mistral", "voyage", "jina"].flatMap((name) => [
    embedder(`test-${name}-embed`, [slot(name, "embed")]),
    embedder(`test-${name}-embed-counted`, [slot(name, "embed?usage=70,0")]),
  ]);
  const rankers = ["cohere", "voyage", "jina", "bedrock"].flatMap((name) => [
    ranker(`test-${name}-rerank`, [slot(name, "rerank")]),
  ]);
  return [
    ...embedders,
    ...rankers,
    embedder("test-cohere-query", [{ ...slot("cohere", "embed"), input_type: "search_query" }]),
    embedder("test-google-query", [{ ...slot("google", "embed"), input_type: "RETRIEVAL_QUERY" }]),
    embedder("test-voyage-query", [{ ...slot("voyage", "embed"), input_type: "query" }]),
    embedder("test-jina-query", [{ ...slot("jina", "embed"), input_type: "retrieval.query" }]),
    chatModel("test-azure", [slot("azure", "gpt")]),
    chatModel("test-azure-down", [
      slot("azure", "gpt?status=503"),
      { ...slot("claude", "claude"), pricing: claudePricing },
    ]),
    embedder("test-azure-embed", [slot("azure", "embed")]),
    { ...imageModel("test-azure-image", ""), chain: [slot("azure", "image")] },
    ...googleMedia(),
  ];
}
