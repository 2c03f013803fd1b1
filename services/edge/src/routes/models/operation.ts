import { jsonResponseDoc, type Operation } from "../../openapi/operation.ts";
import { modelListSchema, modelSchema } from "./schema.ts";

export const listModelsOperation: Operation = {
  id: "listModels",
  tag: "Models",
  summary: "List models",
  description:
    "Without a key, and with one that may call every public model, all public aliases. With a key " +
    "whose policy names models, those of them that are public. An invalid key is rejected.",
  responses: {
    200: jsonResponseDoc("ModelList", modelListSchema, "The public aliases that the key may call."),
  },
};

export const getModelOperation: Operation = {
  id: "getModel",
  tag: "Models",
  summary: "Get a model",
  description: "An alias may contain slashes, encoded or not.",
  parameters: [
    {
      in: "path",
      name: "alias",
      description: "The alias of the model.",
      required: true,
      schema: { type: "string" },
    },
  ],
  responses: { 200: jsonResponseDoc("Model", modelSchema, "The model.") },
  errors: ["model_not_found"],
};
