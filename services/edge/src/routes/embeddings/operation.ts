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
    ),
  },
};
