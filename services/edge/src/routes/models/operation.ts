import { jsonResponse, type Operation } from "../../openapi/operation.ts";
import { modelListSchema, modelSchema } from "./schema.ts";

export const listModelsOperation: Operation = {
  id: "listModels",
  tag: "Models",
  summary: "List models",
  description: "The list is the same for every key, and without one. An invalid key is rejected.",
  responses: { 200: jsonResponse("ModelList", modelListSchema, "All public aliases.") },
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
  responses: { 200: jsonResponse("Model", modelSchema, "The model.") },
  errors: ["model_not_found"],
};
