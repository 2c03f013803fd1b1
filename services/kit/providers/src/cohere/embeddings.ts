import { isJsonObject, type JsonObject, readCount } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { JsonAdapter } from "../json-adapter.ts";

/** https://docs.cohere.com/reference/embed requires one. */
const defaultInputType = "search_document";

/** Embeddings by Cohere's API, version 2. */
export const cohereEmbeddings: JsonAdapter = {
  request({ inputType = defaultInputType }, { model, input, dimensions, encoding_format }) {
    return {
      model,
      texts: [input].flat(),
      input_type: inputType,
      embedding_types: [typeOf(encoding_format)],
      ...(dimensions == null ? {} : { output_dimension: dimensions }),
    };
  },
  response({ id, embeddings, meta }, { model, encoding_format }) {
    const vectors = vectorsOf(embeddings, typeOf(encoding_format));
    if (vectors === undefined) {
      throw new SlotFailure("rejected", "the provider's response has no embeddings");
    }
    const data = vectors.map((embedding: unknown, index) => ({
      object: "embedding",
      index,
      embedding,
    }));
    return { id, object: "list", data, model, ...usageOf(meta) };
  },
};

/** Returns the vectors of the type that was asked for, else of the other one. */
function vectorsOf(embeddings: unknown, type: "base64" | "float"): unknown[] | undefined {
  if (Array.isArray(embeddings)) return embeddings;
  const { float, base64 }: JsonObject = isJsonObject(embeddings) ? embeddings : {};
  const byType = type === "float" ? [float, base64] : [base64, float];
  return byType.find((vectors) => Array.isArray(vectors));
}

function typeOf(encodingFormat: unknown): "base64" | "float" {
  return encodingFormat === "base64" ? "base64" : "float";
}

function usageOf(meta: unknown): { usage?: JsonObject } {
  const { billed_units: billed }: JsonObject = isJsonObject(meta) ? meta : {};
  const tokens = isJsonObject(billed) ? readCount(billed.input_tokens) : undefined;
  if (tokens === undefined) return {};
  return { usage: { prompt_tokens: Number(tokens), total_tokens: Number(tokens) } };
}
