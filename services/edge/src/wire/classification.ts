import { taxonomies } from "@tollgate/kit/catalog/model";
import type { Client } from "@tollgate/kit/rpc/implementation";
import type { DocumentService } from "@tollgate/proto/tollgate/v1/document";
import { z } from "zod";
import type { BillableRoute } from "../billable.ts";
import { alias, boolean, oneOf, text, texts } from "./fields.ts";
import { jsonRoute } from "./json-route.ts";

/** POST /v1/classification. Which lane's fields an alias takes, the service knows. */
export function classification(document: Client<typeof DocumentService>): BillableRoute {
  return jsonRoute(schema, (fields, call, options) => {
    const { labels, types = labels, ...members } = fields;
    const request = {
      ...call(types === undefined ? members : { ...members, types }),
      inputBytes: [fields.input].flat().map((input) => Buffer.byteLength(input)),
      taxonomy: fields.taxonomy ?? "",
      laneFields: laneFields.filter((name) => fields[name] !== undefined),
    };
    return document.classify(request, options);
  });
}

const laneFields = ["taxonomy", "both_versions", "types", "labels"] as const;

const entityTypes = z
  .array(text.min(1, "must not be empty"), { error: "must be an array of strings" })
  .min(1, "must hold at least one type")
  .optional();

const schema = z
  .strictObject({
    model: alias,
    input: texts,
    taxonomy: oneOf(taxonomies),
    both_versions: boolean,
    types: entityTypes,
    labels: entityTypes,
  })
  .refine(({ types, labels = types }) => types === undefined || isSame(types, labels ?? []), {
    path: ["labels"],
    error: "means the same as types, and differs from it here",
  });

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name, index) => name === right[index]);
}
