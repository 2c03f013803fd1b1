import { Wire } from "@tollgate/proto/tollgate/v1/chat";
import { forwardedCall } from "../../billable/forwarded-call.ts";
import { wireHandler } from "../../billable/wire-handler.ts";
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
    parse(json, body) {
      const fields = validate(responsesSchema, withoutNulls(responsesSchema, json));
      const { model: alias, stream = false, max_output_tokens: maxTokens } = fields;
      const sent = { alias, prompt: measureResponses(json), maxTokens };
      return { stream, call: forwardedCall(Wire.RESPONSES, body, sent) };
    },
    createErrorEvent: createFailedEvent,
  });
}
