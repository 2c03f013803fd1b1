import {
  type Catalog,
  type ClassificationTask,
  servableModel,
  taxonomies,
} from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import { z } from "zod";
import { alias, boolean, oneOf, text, texts } from "../../validation/fields.ts";
import { listOf } from "../../validation/first-error-lists.ts";

interface Fields {
  model: string;
  input: string | string[];
  taxonomy?: string | undefined;
  both_versions?: boolean | undefined;
  types?: string[] | undefined;
  labels?: string[] | undefined;
}

export type ClassificationSchema = z.ZodObject<{ model: z.ZodString }> & z.ZodType<Fields>;

/** Returns the schema of the alias's lane. For an alias that a key with the globs `models` may not
 * call, it allows the fields of both. */
export function classificationSchema(
  { model }: JsonObject,
  catalog: Catalog,
  models: readonly string[],
): ClassificationSchema {
  const lane = servableModel(catalog, model, "classification", models)?.classification;
  if (lane === undefined) return eitherLaneSchema;
  return lane.lane === "entities" ? entityLaneSchema : schemaOfTaxonomies(lane);
}

const entityTypes = listOf(text.min(1, "must not be empty"), "must be an array of strings")
  .min(1, "must hold at least one type")
  .optional();

const common = {
  model: alias,
  input: texts.describe("A text, or an array of texts. Each text is billed as a unit."),
};
const entityFields = {
  types: entityTypes.describe("The types of entities to find."),
  labels: entityTypes.describe("Another name for `types`. One of the two is required."),
};
const taxonomyFields = {
  taxonomy: oneOf(taxonomies).describe("The version of the taxonomy. The alias may support one."),
  both_versions: boolean.describe("Whether to classify by the other taxonomy version as well."),
};

/** The fields that only one lane has. */
export const laneFields = [...Object.keys(taxonomyFields), ...Object.keys(entityFields)];

const eitherLaneSchema = z.strictObject({ ...common, ...taxonomyFields, ...entityFields });

export const taxonomyLaneSchema = z.strictObject({ ...common, ...taxonomyFields });

export const entityLaneSchema = z
  .strictObject({ ...common, ...entityFields })
  .refine(({ types, labels }) => types !== undefined || labels !== undefined, {
    path: ["types"],
    error: "is required without labels",
  })
  .refine(({ types, labels }) => !types || !labels || isEqual(types, labels), {
    path: ["labels"],
    error: "must be equal to types, which has the same meaning",
  })
  .meta({ anyOf: ["types", "labels"].map(hasArray) });

/** Returns the JSON Schema of a body that has the array. */
function hasArray(name: string) {
  return { required: [name], properties: { [name]: { type: "array" } } };
}

function schemaOfTaxonomies({
  taxonomies: supported,
}: Extract<ClassificationTask, { lane: "taxonomy" }>) {
  const taxonomy = z.enum(supported).optional();
  return z.strictObject({ ...common, ...taxonomyFields, taxonomy });
}

function isEqual(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name, index) => name === right[index]);
}
