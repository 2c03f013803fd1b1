import type { JsonAdapter } from "../json-adapter.ts";

/** Embeddings by Voyage AI's API: https://docs.voyageai.com/reference/embeddings-api */
export const voyageEmbeddings: JsonAdapter = {
  request({ inputType }, { model, input, dimensions, encoding_format }) {
    return {
      model,
      input,
      ...(inputType === undefined ? {} : { input_type: inputType }),
      ...(dimensions == null ? {} : { output_dimension: dimensions }),
      // A list of numbers has no name in this API.
      ...(encoding_format === "base64" ? { encoding_format } : {}),
    };
  },
  response: (value) => value,
};
