import type { JsonObject } from "@tollgate/core/json";
import { Wire } from "@tollgate/proto/tollgate/v1/wire";
import { type WireRequest, wireHandler } from "../../billable/wire-handler.ts";
import type { KeyedHandler } from "../../http/handler.ts";
import { validate, withoutNulls } from "../../validation/validate.ts";
import type { RouteDependencies } from "../dependencies.ts";
import type { HandlerRules } from "../route-rules.ts";
import { createFailedEvent } from "./failed-event.ts";
import { measureResponses } from "./prompt-size.ts";
import { responsesSchema } from "./schema.ts";

/** POST /v1/responses. */
export function createResponse(dependencies: RouteDependencies, rules: HandlerRules): KeyedHandler {
  return wireHandler(dependencies, rules, {
    wire: Wire.RESPONSES,
    parse: parseResponses,
    forwardedHeaders: [],
    createErrorEvent: createFailedEvent,
  });
}

function parseResponses(body: JsonObject): WireRequest {
  const fields = validate(responsesSchema, withoutNulls(responsesSchema, body));
  const { model: alias, stream = false, max_output_tokens: maxTokens } = fields;
  return { alias, stream, maxTokens, prompt: measureResponses(body) };
}
