import { jsonHandler } from "../../billable/json-handler.ts";
import type { KeyedHandler } from "../../http/handler.ts";
import type { RouteDependencies } from "../dependencies.ts";
import type { HandlerRules } from "../route-rules.ts";
import { rerankSchema } from "./schema.ts";

/** POST /v1/rerank */
export function rerankDocuments(
  dependencies: RouteDependencies,
  rules: HandlerRules,
): KeyedHandler {
  const { document } = dependencies.services;
  return jsonHandler(dependencies, rules, rerankSchema, (fields, call, options) =>
    document.rerank({ ...call(fields), documents: fields.documents.length }, options),
  );
}
