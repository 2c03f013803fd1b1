import {
  type Catalog,
  type Classification,
  servableModel,
  taxonomies,
} from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { DocumentService } from "@tollgate/proto/tollgate/v1/document";
import type { Client } from "@tollgate/rpc/implementation";
import { z } from "zod";
import type { BillableRoute } from "../billable.ts";
import { replayedOperation } from "../openapi/billable-operation.ts";
import { jsonAnswer } from "../openapi/operation.ts";
import { alias, boolean, oneOf, text, texts } from "./fields.ts";
import { jsonRoute } from "./json-route.ts";
import { listOf } from "./lists.ts";

/** A page is up to so many tokens, and no token is shorter than a byte. */
const tokensAPage = 2_000;

/** POST /v1/classification. Which fields it takes depends on the lane that its alias is on. */
export function classification(
  document: Client<typeof DocumentService>,
  catalog: () => Catalog,
): BillableRoute {
  return jsonRoute(
    (body) => schemaOf(body, catalog()),
    (fields, call, options) => {
      const { labels, types = labels, ...members } = fields;
      const inputs = typeof fields.input === "string" ? [fields.input] : fields.input;
      const request = {
        ...call(types === undefined ? members : { ...members, types }),
        inputs: inputs.length,
        mostPages: BigInt(inputs.reduce((sum, input) => sum + mostPagesOf(input), 0)),
      };
      return document.classify(request, options);
    },
  );
}

function mostPagesOf(input: string): number {
  return Math.max(1, Math.ceil(Buffer.byteLength(input) / tokensAPage));
}

interface Fields {
  model: string;
  input: string | string[];
  taxonomy?: string | undefined;
  both_versions?: boolean | undefined;
  types?: string[] | undefined;
  labels?: string[] | undefined;
}

type Schema = z.ZodObject<{ model: z.ZodString }> & z.ZodType<Fields>;

/** What the alias's lane takes; of an alias that nobody serves, what either lane does. */
function schemaOf({ model }: JsonObject, catalog: Catalog): Schema {
  const served =
    typeof model === "string" ? servableModel(catalog, model, "classification") : undefined;
  const lane = served?.classification;
  if (lane === undefined) return eitherLane;
  return lane.lane === "entities" ? entityLane : taxonomyLane(lane);
}

const entityTypes = listOf(text.min(1, "must not be empty"), "must be an array of strings")
  .min(1, "must hold at least one type")
  .optional();

const common = { model: alias, input: texts.describe("A text, or texts of which each is a unit.") };
const entityFields = {
  types: entityTypes.describe("The kinds of entities to look for."),
  labels: entityTypes.describe("Another name for `types`; one of the two is needed."),
};
const aboutTaxonomy = "The taxonomy's version, of those that the alias speaks.";
const taxonomyFields = {
  taxonomy: oneOf(taxonomies).describe(aboutTaxonomy),
  both_versions: boolean.describe("Whether to answer in the other taxonomy as well."),
};

const eitherLane = z.strictObject({ ...common, ...taxonomyFields, ...entityFields });

const entityLane = z
  .strictObject({ ...common, ...entityFields })
  .refine(({ types, labels }) => types !== undefined || labels !== undefined, {
    path: ["types"],
    error: "the entity types to look for are required",
  })
  .refine(({ types, labels }) => !types || !labels || isSame(types, labels), {
    path: ["labels"],
    error: "means the same as types, and differs from it here",
  })
  .meta({ anyOf: ["types", "labels"].map(isNamed) });

/** In JSON Schema: the body has an array of that name. */
function isNamed(name: string) {
  return { required: [name], properties: { [name]: { type: "array" } } };
}

function taxonomyLane({ taxonomies: taken }: Extract<Classification, { lane: "taxonomy" }>) {
  const taxonomy = z.enum(taken, { error: `must be ${taken.join(" or ")}` }).optional();
  return z.strictObject({ ...common, ...taxonomyFields, taxonomy });
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name, index) => name === right[index]);
}

export const classificationOperation = replayedOperation({
  id: "classify",
  tag: "Documents",
  summary: "Classify texts, or find entities",
  about:
    "An alias is on one of two lanes. One labels by a taxonomy and takes `taxonomy` and " +
    "`both_versions`; the other finds entities and takes `types` or `labels`. A field of the " +
    "other lane is refused as `unknown_param`.",
  body: {
    kind: "json",
    name: "ClassificationRequest",
    schemas: [z.strictObject({ ...common, ...taxonomyFields }), entityLane],
    example: { model: "demo-taxonomy", input: "The match ended in a draw.", taxonomy: "2.1" },
  },
  answer: jsonAnswer(
    "Classification",
    z.union([z.looseObject({}), z.array(z.unknown())]),
    "The provider's answer as it came.",
  ),
});
