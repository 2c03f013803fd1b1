import { z } from "zod";
import manifest from "../../../package.json" with { type: "json" };
import { jsonResponseDoc, type Operation } from "../../openapi/operation.ts";

export const getOpenApiOperation: Operation = {
  id: "getOpenApi",
  tag: "Gateway",
  summary: "Get the OpenAPI document",
  responses: {
    200: jsonResponseDoc("OpenApi", z.looseObject({}), "An OpenAPI 3.1 document.", {
      openapi: "3.1.1",
      info: { title: "Tollgate", version: manifest.version },
      servers: [{ url: "/" }],
      tags: [],
      paths: {},
      components: {},
      "x-error-codes": [],
    }),
  },
};
