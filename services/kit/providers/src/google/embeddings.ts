import { isJsonObject, type JsonObject, readCount } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { JsonAdapter } from "../json-adapter.ts";

/** Embeddings by Gemini's API: https://ai.google.dev/api/embeddings */
export const googleEmbeddings: JsonAdapter = {
  request({ inputType }, { model, input, dimensions }) {
    const requests = [input].flat().map((text) => ({
      model: `models/${String(model)}`,
      content: { parts: [{ text }] },
      ...(inputType === undefined ? {} : { taskType: inputType }),
      ...(dimensions == null ? {} : { outputDimensionality: dimensions }),
    }));
    return { requests };
  },
  response({ embeddings, usageMetadata }, { model }) {
    if (!Array.isArray(embeddings)) {
      throw new SlotFailure("rejected", "the provider's response has no embeddings");
    }
    const data = embeddings.map((one: unknown, index) => ({
      object: "embedding",
      index,
      embedding: valuesOf(one),
    }));
    return { object: "list", data, model, ...usageOf(usageMetadata) };
  },
};

function valuesOf(embedding: unknown): readonly number[] {
  const values = isJsonObject(embedding) ? embedding.values : undefined;
  if (Array.isArray(values)) return values as number[];
  throw new SlotFailure("rejected", "the provider's response has an embedding without values");
}

function usageOf(metadata: unknown): { usage?: JsonObject } {
  const tokens = isJsonObject(metadata) ? readCount(metadata.promptTokenCount) : undefined;
  if (tokens === undefined) return {};
  return { usage: { prompt_tokens: Number(tokens), total_tokens: Number(tokens) } };
}
