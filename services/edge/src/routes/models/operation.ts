import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { z } from "zod";
import { jsonResponseDoc, type Operation, type Parameter } from "../../openapi/operation.ts";
import type { ApiVariant } from "../route-rules.ts";
import { anthropicListSchema, anthropicModelSchema, versionHeader } from "./anthropic-schema.ts";
import { anthropicList, anthropicModel } from "./anthropic-variant.ts";
import { modelExample, modelListExample } from "./examples.ts";
import { modelListSchema, modelSchema } from "./schema.ts";

const ofAnthropic =
  `With the header \`${versionHeader}\`, models of chat in the form of Anthropic's API, and errors in ` +
  "its form; the key may then be in `x-api-key`.";

const versionParameter: Parameter = {
  in: "header",
  name: versionHeader,
  description: "Sent by clients of Anthropic's API.",
  schema: { type: "string" },
};

function queryParameters({ query }: ApiVariant): Parameter[] {
  return query.map((one) => ({ in: "query", ...one }));
}

export const listModelsOperation: Operation = {
  id: "listModels",
  tag: "Models",
  summary: "List models",
  description:
    "Without a key, and with one that may call every public model, all public aliases. With a key " +
    "whose policy names models, those of them that are public. An invalid key is rejected. " +
    ofAnthropic,
  parameters: [versionParameter, ...queryParameters(anthropicList)],
  responses: {
    200: jsonResponseDoc(
      "ModelPage",
      z.union([modelListSchema, anthropicListSchema]),
      "The public aliases that the key may call.",
      modelListExample,
    ),
  },
  errors: ["invalid_param"],
  variantErrors: ["invalid_param"],
  ownErrors: { invalid_param: invalidParam("limit", "must be sent once") },
};

export const getModelOperation: Operation = {
  id: "getModel",
  tag: "Models",
  summary: "Get a model",
  description: `An alias may contain slashes, encoded or not. ${ofAnthropic}`,
  parameters: [
    versionParameter,
    ...queryParameters(anthropicModel),
    {
      in: "path",
      name: "alias",
      description: "The alias of the model.",
      required: true,
      schema: { type: "string" },
    },
  ],
  responses: {
    200: jsonResponseDoc(
      "ModelEntry",
      z.union([modelSchema, anthropicModelSchema]),
      "The model.",
      modelExample,
    ),
  },
  errors: ["invalid_param", "model_not_found"],
  variantErrors: ["invalid_param"],
  ownErrors: {
    invalid_param: invalidParam("beta", "must be sent once"),
    model_not_found: new GatewayError("model_not_found", 'There is no model "demo-other".'),
  },
};
