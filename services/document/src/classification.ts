import type { ClassificationTask, Model } from "@tollgate/catalog/model";
import type { JsonRoute } from "@tollgate/generation/json-route";
import type { ClassifyRequest } from "@tollgate/proto/tollgate/v1/document";
import { reportedPages } from "./pages.ts";

/**
 * The taxonomy lane bills pages: those that the provider reports, else those that the hold covers. The
 * entity lane bills one search per input.
 */
export const classification: JsonRoute<ClassifyRequest> = {
  routeType: "classification",
  bound: ({ inputs, mostPages }, model) =>
    laneOf(model) === "entities" ? BigInt(inputs) : mostPages,
  measure(response, { inputs, mostPages }, { model }) {
    if (laneOf(model) === "entities") return { quantity: BigInt(inputs), basis: "inputs" };
    const pages = reportedPages(response);
    if (pages !== undefined) return { quantity: pages, basis: "provider" };
    return { quantity: mostPages, basis: "input_pages" };
  },
};

function laneOf({ classification }: Model): ClassificationTask["lane"] | undefined {
  return classification?.lane;
}
