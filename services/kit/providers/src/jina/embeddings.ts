import type { JsonAdapter } from "../json-adapter.ts";

/** Embeddings by Jina AI's API: https://api.jina.ai/docs */
export const jinaEmbeddings: JsonAdapter = {
  request({ inputType }, { model, input, dimensions, encoding_format }) {
    return {
      model,
      input,
      ...(inputType === undefined ? {} : { task: inputType }),
      ...(dimensions == null ? {} : { dimensions }),
      ...(encoding_format == null ? {} : { embedding_type: encoding_format }),
    };
  },
  response: (value) => value,
};
