import type { JsonRoute } from "@tollgate/generation/json-route";
import type { RerankRequest } from "@tollgate/proto/tollgate/v1/document";

/** A rerank bills one search, for any number of documents. */
export const rerank: JsonRoute<RerankRequest> = {
  routeType: "rerank",
  // The two names that providers use for the ranked documents.
  lists: ["results", "data"],
  bound: () => 1n,
  measure: (_response, { documents }) => ({
    quantity: 1n,
    basis: "request",
    corpusSize: BigInt(documents),
  }),
};
