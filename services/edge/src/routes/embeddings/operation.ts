import { replayedOperation } from "../../openapi/billable-operation.ts";
import { jsonResponse } from "../../openapi/operation.ts";
import { embeddingsResponseSchema, embeddingsSchema } from "./schema.ts";

export const createEmbeddingsOperation = replayedOperation({
  id: "createEmbeddings",
  tag: "Embeddings",
  summary: "Create embeddings",
  body: {
    kind: "json",
    name: "EmbeddingsRequest",
    schemas: [embeddingsSchema],
    example: { model: "demo-embed", input: ["A cat", "A dog"] },
  },
  response: jsonResponse(
    "Embeddings",
    embeddingsResponseSchema,
    "The provider's response, usually in this form.",
  ),
});
