import { jsonResponseDoc, type Operation } from "../../openapi/operation.ts";
import { embeddingsResponseSchema, embeddingsSchema, tokenEmbeddingsSchema } from "./schema.ts";

export const createEmbeddingsOperation: Operation = {
  id: "createEmbeddings",
  tag: "Embeddings",
  summary: "Create embeddings",
  description: "An alias may take token ids besides text, if its entry in the catalog says so.",
  body: {
    kind: "json",
    name: "EmbeddingsRequest",
    schemas: [embeddingsSchema, tokenEmbeddingsSchema],
    example: { model: "demo-embed", input: ["A cat", "A dog"] },
  },
  responses: {
    200: jsonResponseDoc(
      "Embeddings",
      embeddingsResponseSchema,
      "The provider's response, usually in this form, with vectors in the format of the request.",
      {
        object: "list",
        data: [
          { object: "embedding", index: 0, embedding: [-0.7109, -0.5322, 0.0997, 0.2162] },
          { object: "embedding", index: 1, embedding: [0.4783, 0.7465, -0.1768, -0.109] },
        ],
        model: "sim-embed",
        usage: { prompt_tokens: 4, total_tokens: 4 },
      },
    ),
  },
};
