import { z } from "zod";
import { jsonResponseDoc, type Operation } from "../../openapi/operation.ts";
import { entityLaneSchema, taxonomyLaneSchema } from "./schema.ts";

export const classifyOperation: Operation = {
  id: "classify",
  tag: "Documents",
  summary: "Classify texts or find entities",
  description:
    "Every alias is on one of two lanes. The taxonomy lane classifies texts and accepts " +
    "`taxonomy` and `both_versions`; the entity lane finds entities and accepts `types` or " +
    "`labels`. Fields of the other lane are rejected with `unknown_param`.",
  body: {
    kind: "json",
    name: "ClassificationRequest",
    schemas: [taxonomyLaneSchema, entityLaneSchema],
    example: { model: "demo-taxonomy", input: "The match ended in a draw.", taxonomy: "2.1" },
  },
  responses: {
    200: jsonResponseDoc(
      "Classification",
      z.union([z.looseObject({}), z.array(z.unknown())]),
      "The provider's response.",
      {
        model: "sim-taxonomy",
        results: [{ labels: [{ id: "2", label: "Science", score: 0.9 }] }],
      },
    ),
  },
};
