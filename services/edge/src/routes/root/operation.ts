import { jsonResponseDoc, type Operation } from "../../openapi/operation.ts";
import { rootSchema } from "./schema.ts";

export const getRootOperation: Operation = {
  id: "getRoot",
  tag: "Gateway",
  summary: "Find the API and its reference",
  responses: { 200: jsonResponseDoc("Root", rootSchema, "What listens here.") },
};
