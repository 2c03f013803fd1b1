import type { Client } from "@tollgate/kit/rpc/implementation";
import type { DocumentService } from "@tollgate/proto/tollgate/v1/document";
import { z } from "zod";
import type { BillableRoute } from "../billable.ts";
import { alias, integerFrom, text } from "./fields.ts";
import { jsonRoute } from "./json-route.ts";

/** POST /v1/rerank */
export function rerank(document: Client<typeof DocumentService>): BillableRoute {
  return jsonRoute(schema, (fields, call, options) =>
    document.rerank({ ...call(fields), documents: fields.documents.length }, options),
  );
}

const schema = z.strictObject({
  model: alias,
  query: text,
  documents: z
    .array(text, { error: "must be an array of strings" })
    .min(1, "must hold at least one document"),
  top_n: integerFrom(1),
});
