import { chatModel, embeddingsModel, imageModel, searches, slot, unitModel } from "./entries.ts";
import { googleMedia } from "./google-media.ts";

/** Models of the vendors whose wire is not OpenAI's, or has other headers. */
export function vendorModels() {
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
    embedder(`test-${name}-embed-limited`, [slot(name, "embed?status=429"), slot("sim", "embed")]),
    embedder(`test-${name}-embed-invalid`, [slot(name, "embed?status=400&message=too%20long")]),
    embedder(`test-${name}-embed-cut`, [slot(name, "embed?cut_after=0")]),
  ]);
  const rankers = ["cohere", "voyage", "jina", "bedrock"].flatMap((name) => [
    ranker(`test-${name}-rerank`, [slot(name, "rerank")]),
    ranker(`test-${name}-rerank-down`, [slot(name, "rerank?status=503"), slot("sim", "rerank")]),
  ]);
  return [
    ...embedders,
    ...rankers,
    embedder("test-cohere-query", [{ ...slot("cohere", "embed"), input_type: "search_query" }]),
    embedder("test-google-query", [{ ...slot("google", "embed"), input_type: "RETRIEVAL_QUERY" }]),
    embedder("test-voyage-query", [{ ...slot("voyage", "embed"), input_type: "query" }]),
    embedder("test-jina-query", [{ ...slot("jina", "embed"), input_type: "retrieval.query" }]),
    chatModel("test-azure", [slot("azure", "gpt")]),
    chatModel("test-azure-down", [slot("azure", "gpt?status=503"), slot("claude", "claude")]),
    embedder("test-azure-embed", [slot("azure", "embed")]),
    { ...imageModel("test-azure-image", ""), chain: [slot("azure", "image")] },
    ...googleMedia(),
  ];
}
