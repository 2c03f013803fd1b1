import { invalidParam } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject, objectsIn, readCount } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import type { JsonAdapter } from "../json-adapter.ts";

/** Gemini's models take one text a request. */
const takesOneText = /\/models\/gemini-embedding-/;

/**
 * Embeddings by Vertex AI's `predict`, and of models since Gemini Embedding 2 by `embedContent`:
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api. A text that
 * is too long is refused: by default, Google would leave out its end.
 */
export const vertexEmbeddings: JsonAdapter = {
  check({ path }, { input }) {
    if (!takesOneText.test(path) || [input].flat().length <= 1) return;
    throw invalidParam("input", "must be one text for this model");
  },
  request({ path, inputType }, { input, dimensions }) {
    const texts = [input].flat();
    const size = dimensions == null ? {} : { outputDimensionality: dimensions };
    if (isContentPath(path)) {
      const task = inputType === undefined ? {} : { taskType: inputType };
      const embedContentConfig = { autoTruncate: false, ...task, ...size };
      return { content: { parts: texts.map((text) => ({ text })) }, embedContentConfig };
    }
    const task = inputType === undefined ? {} : { task_type: inputType };
    const instances = texts.map((content) => ({ content, ...task }));
    return { instances, parameters: { autoTruncate: false, ...size } };
  },
  response({ predictions, embedding, usageMetadata }, { model }) {
    const found = embedding === undefined ? predictedIn(predictions) : [embedding];
    const data = found.map((one, index) => ({
      object: "embedding",
      index,
      embedding: valuesOf(one),
    }));
    return { object: "list", data, model, ...usageOf(found, usageMetadata) };
  },
};

function isContentPath(path: string): boolean {
  return path.endsWith(":embedContent");
}

function predictedIn(predictions: unknown): unknown[] {
  if (!Array.isArray(predictions)) {
    throw new SlotFailure("rejected", "the provider's response has no embeddings");
  }
  return objectsIn(predictions).map(({ embeddings }) => embeddings);
}

function valuesOf(embedding: unknown): readonly number[] {
  const values = isJsonObject(embedding) ? embedding.values : undefined;
  if (Array.isArray(values)) return values as number[];
  throw new SlotFailure("rejected", "the provider's response has an embedding without values");
}

/** Each embedding has the tokens of its text, or the response those of all. Not all are no usage. */
function usageOf(embeddings: readonly unknown[], metadata: unknown): { usage?: JsonObject } {
  const whole = isJsonObject(metadata) ? readCount(metadata.promptTokenCount) : undefined;
  const counts = embeddings.map((one) => {
    const statistics = isJsonObject(one) ? one.statistics : undefined;
    return isJsonObject(statistics) ? readCount(statistics.token_count) : undefined;
  });
  const sum = counts.reduce(
    (total, count) => (total === undefined || count === undefined ? undefined : total + count),
    counts.length === 0 ? undefined : (0n as bigint | undefined),
  );
  const tokens = whole ?? sum;
  if (tokens === undefined) return {};
  return { usage: { prompt_tokens: Number(tokens), total_tokens: Number(tokens) } };
}
