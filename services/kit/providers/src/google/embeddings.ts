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
  response({ embeddings, usageMetadata }, { model, encoding_format }) {
    if (!Array.isArray(embeddings)) {
      throw new SlotFailure("rejected", "the provider's response has no embeddings");
    }
    const isBase64 = encoding_format === "base64";
    const data = embeddings.map((one: unknown, index) => {
      const values = valuesOf(one);
      return { object: "embedding", index, embedding: isBase64 ? base64Of(values) : values };
    });
    return { object: "list", data, model, ...usageOf(usageMetadata) };
  },
};

function valuesOf(embedding: unknown): readonly number[] {
  const values = isJsonObject(embedding) ? embedding.values : undefined;
  if (Array.isArray(values)) return values as number[];
  throw new SlotFailure("rejected", "the provider's response has an embedding without values");
}

/** Returns the values as OpenAI's API sends them: 32-bit floats, the least byte first. */
function base64Of(values: readonly number[]): string {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeFloatLE(value, 4 * index);
  return bytes.toString("base64");
}

function usageOf(metadata: unknown): { usage?: JsonObject } {
  const tokens = isJsonObject(metadata) ? readCount(metadata.promptTokenCount) : undefined;
  if (tokens === undefined) return {};
  return { usage: { prompt_tokens: Number(tokens), total_tokens: Number(tokens) } };
}
