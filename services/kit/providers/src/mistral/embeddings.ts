import type { JsonAdapter } from "../json-adapter.ts";

/** Embeddings by Mistral's API: https://docs.mistral.ai/api/endpoint/embeddings */
export const mistralEmbeddings: JsonAdapter = {
  request(_slot, { model, input, dimensions, encoding_format }) {
    return {
      model,
      input,
      ...(dimensions == null ? {} : { output_dimension: dimensions }),
      ...(encoding_format == null ? {} : { encoding_format }),
    };
  },
  response: (value) => value,
};
