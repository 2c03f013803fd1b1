import { z } from "zod";
import { replayedOperation } from "../../openapi/billable-operation.ts";
import { jsonResponse } from "../../openapi/operation.ts";
import { rerankSchema } from "./schema.ts";

export const rerankOperation = replayedOperation({
  id: "rerank",
  tag: "Documents",
  summary: "Rank documents by a query",
  body: {
    kind: "json",
    name: "RerankRequest",
    schemas: [rerankSchema],
    example: { model: "demo-rerank", query: "pets", documents: ["A cat", "A car"], top_n: 1 },
  },
  response: jsonResponse(
    "Reranking",
    z.union([z.looseObject({}), z.array(z.unknown())]),
    "The provider's response: an object, or an array of results.",
  ),
});
