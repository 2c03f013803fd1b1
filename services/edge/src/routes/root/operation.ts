import manifest from "../../../package.json" with { type: "json" };
import { jsonResponseDoc, type Operation } from "../../openapi/operation.ts";
import { rootSchema } from "./schema.ts";

export const getRootOperation: Operation = {
  id: "getRoot",
  tag: "Gateway",
  summary: "Find the API and its reference",
  responses: {
    200: jsonResponseDoc("Root", rootSchema, "What listens here.", {
      name: "Tollgate",
      version: manifest.version,
      base_url: "/v1",
      docs_url: "/docs",
      openapi_url: "/openapi.json",
      health_url: "/v1/health",
    }),
  },
};
