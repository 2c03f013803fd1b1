import type { Classification, Model } from "@tollgate/catalog/model";
import type { JsonRoute } from "@tollgate/generation/json-route";
import type { ClassifyRequest } from "@tollgate/proto/tollgate/v1/document";
import { reportedPages } from "./pages.ts";

/** The taxonomy lane bills pages, the entity lane one search per input. */
export const classification: JsonRoute<ClassifyRequest> = {
  routeType: "classification",
  bound: ({ inputs, mostPages }, model) =>
    laneOf(model) === "entities" ? BigInt(inputs) : mostPages,
  measure(response, { inputs }, { model }) {
    const pages = laneOf(model) === "taxonomy" ? reportedPages(response) : undefined;
    if (pages !== undefined) return { quantity: pages, basis: "provider" };
    return { quantity: BigInt(inputs), basis: "inputs" };
  },
};

function laneOf({ classification }: Model): Classification["lane"] | undefined {
  return classification?.lane;
}
