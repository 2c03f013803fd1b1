import type { DocumentService } from "@tollgate/proto/tollgate/v1/document";
import type { Client } from "@tollgate/rpc/implementation";
import { z } from "zod";
import type { BillableRoute } from "../billable.ts";
import { replayedOperation } from "../openapi/billable-operation.ts";
import { jsonAnswer } from "../openapi/operation.ts";
import { alias, integerFrom, text } from "./fields.ts";
import { jsonRoute } from "./json-route.ts";
import { listOf } from "./lists.ts";

/** POST /v1/rerank */
export function rerank(document: Client<typeof DocumentService>): BillableRoute {
  return jsonRoute(schema, (fields, call, options) =>
    document.rerank({ ...call(fields), documents: fields.documents.length }, options),
  );
}

const schema = z.strictObject({
  model: alias,
  query: text.describe("What the documents are measured by."),
  documents: listOf(text, "must be an array of strings")
    .min(1, "must hold at least one document")
    .describe("The documents. Their number does not change the price."),
  top_n: integerFrom(1).describe("How many of the best to answer; all, where it is left out."),
});

export const rerankOperation = replayedOperation({
  id: "rerank",
  tag: "Documents",
  summary: "Rank documents by a query",
  body: {
    kind: "json",
    name: "RerankRequest",
    schemas: [schema],
    example: { model: "demo-rerank", query: "pets", documents: ["A cat", "A car"], top_n: 1 },
  },
  answer: jsonAnswer(
    "Reranking",
    z.union([z.looseObject({}), z.array(z.unknown())]),
    "The provider's answer as it came: an object, or a bare list of results.",
  ),
});
