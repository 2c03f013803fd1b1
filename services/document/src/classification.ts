import type { Classification, Model } from "@tollgate/kit/catalog/model";
import { GatewayError } from "@tollgate/kit/errors";
import type { JsonRoute } from "@tollgate/kit/json-route";
import type { ClassifyRequest } from "@tollgate/proto/tollgate/v1/document";
import { reportedPages } from "./pages.ts";

/** A page is up to so many tokens, and no token is shorter than a byte. */
const tokensAPage = 2_000;

/** The taxonomy lane bills pages, the entity lane one search an input. */
export const classification: JsonRoute<ClassifyRequest> = {
  routeType: "classification",
  check(call, model) {
    refuseOtherLane(call, model);
    if (laneOf(model) === "entities") requireTypes(call);
    else checkTaxonomy(call, model);
  },
  bound({ inputBytes }, model) {
    if (laneOf(model) === "entities") return BigInt(inputBytes.length);
    const pages = inputBytes.map((bytes) => Math.max(1, Math.ceil(bytes / tokensAPage)));
    return BigInt(pages.reduce((sum, count) => sum + count, 0));
  },
  measure(answer, { inputBytes }, model) {
    const pages = laneOf(model) === "taxonomy" ? reportedPages(answer) : undefined;
    if (pages !== undefined) return { quantity: pages, basis: "provider" };
    return { quantity: BigInt(inputBytes.length), basis: "inputs" };
  },
};

type Lane = Classification["lane"];

function laneOf({ classification }: Model): Lane | undefined {
  return classification?.lane;
}

const laneOfField: Readonly<Record<string, Lane>> = {
  taxonomy: "taxonomy",
  both_versions: "taxonomy",
  types: "entities",
  labels: "entities",
};

function refuseOtherLane({ laneFields }: ClassifyRequest, model: Model): void {
  const param = laneFields.find((name) => laneOfField[name] !== laneOf(model));
  if (param === undefined) return;
  const message = `${param} is not a parameter of ${model.alias}, which is on the other lane.`;
  throw new GatewayError("unknown_param", message, { param });
}

function requireTypes({ laneFields }: ClassifyRequest): void {
  if (laneFields.length > 0) return;
  const message = "types: the entity types to look for are required.";
  throw new GatewayError("invalid_param", message, { param: "types" });
}

function checkTaxonomy({ taxonomy }: ClassifyRequest, { alias, classification }: Model): void {
  const taken = classification?.lane === "taxonomy" ? classification.taxonomies : [];
  if (taxonomy === "" || taken.some((one) => one === taxonomy)) return;
  const message = `taxonomy: ${alias} takes ${taken.join(" and ")}.`;
  throw new GatewayError("invalid_param", message, { param: "taxonomy" });
}
