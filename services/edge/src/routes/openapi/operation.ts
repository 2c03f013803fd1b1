import { z } from "zod";
import { jsonResponseDoc, type Operation } from "../../openapi/operation.ts";

export const getOpenApiOperation: Operation = {
  id: "getOpenApi",
  tag: "Gateway",
  summary: "Get the OpenAPI document",
  responses: { 200: jsonResponseDoc("OpenApi", z.looseObject({}), "An OpenAPI 3.1 document.") },
};
