import { z } from "zod";
import { jsonResponseDoc, type Operation } from "../../openapi/operation.ts";
import { rerankSchema } from "./schema.ts";

export const rerankOperation: Operation = {
  id: "rerank",
  tag: "Documents",
  summary: "Rank documents by a query",
  body: {
    kind: "json",
    name: "RerankRequest",
    schemas: [rerankSchema],
    example: { model: "demo-rerank", query: "pets", documents: ["A cat", "A car"], top_n: 1 },
  },
  responses: {
    200: jsonResponseDoc(
      "Reranking",
      z.union([z.looseObject({}), z.array(z.unknown())]),
      "The provider's response: an object, or an array of results.",
      {
        id: "rerank-1",
        model: "sim-rerank",
        results: [{ index: 0, relevance_score: 0.82 }],
      },
    ),
  },
};
