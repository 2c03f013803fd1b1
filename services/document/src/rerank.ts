import type { JsonRoute } from "@tollgate/generation/json-route";
import type { RerankRequest } from "@tollgate/proto/tollgate/v1/document";

/** A rerank is one search, however many documents it looks through. */
export const rerank: JsonRoute<RerankRequest> = {
  routeType: "rerank",
  // The two names that providers have for what they ranked.
  lists: ["results", "data"],
  bound: () => 1n,
  measure: (_answer, { documents }) => ({
    quantity: 1n,
    basis: "request",
    corpusSize: BigInt(documents),
  }),
};
