import { z } from "zod";
import { jsonAnswer, type Operation } from "../openapi/operation.ts";

export const getOpenApiOperation: Operation = {
  id: "getOpenApi",
  tag: "Gateway",
  summary: "Read this description",
  access: "open",
  answers: { 200: jsonAnswer("OpenApi", z.looseObject({}), "An OpenAPI 3.1 document.") },
  errors: ["unknown_param"],
};

export const getDocsOperation: Operation = {
  id: "getDocs",
  tag: "Gateway",
  summary: "Read this description as a page",
  access: "open",
  answers: { 200: { about: "A page.", content: { "text/html": { schema: z.string() } } } },
};
