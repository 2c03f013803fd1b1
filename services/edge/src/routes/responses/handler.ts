import { WireName } from "@tollgate/proto/tollgate/v1/chat";
import { affinityOf, firstTextOf } from "../../billable/affinity.ts";
import { checkedBytes, forwardedCall } from "../../billable/forwarded-call.ts";
import { wireHandler } from "../../billable/wire-handler.ts";
import type { KeyedHandler } from "../../http/handler.ts";
import { requireListed } from "../../validation/allow-list.ts";
import { validate, withoutNulls } from "../../validation/validate.ts";
import { agentModelOf } from "../agent-model.ts";
import type { RouteDependencies } from "../dependencies.ts";
import type { HandlerRules } from "../route-rules.ts";
import { responsesList } from "./allow-list.ts";
import { createFailedEvent } from "./failed-event.ts";
import { withoutIdleSearch } from "./idle-search.ts";
import { measureResponses } from "./prompt-size.ts";
import { responsesSchema } from "./schema.ts";

/** POST /v1/responses. */
export function createResponse(dependencies: RouteDependencies, rules: HandlerRules): KeyedHandler {
  const { catalog } = dependencies;
  return wireHandler(dependencies, rules, {
    parse(json, body, { models }) {
      const { allows } = agentModelOf(catalog(), json.model, models);
      requireListed(responsesList, json, allows);
      const fields = validate(responsesSchema, withoutNulls(responsesSchema, json));
      const { model: alias, stream = false, max_output_tokens: maxTokens } = fields;
      const changed = allows.has("web_search") ? {} : withoutIdleSearch(json);
      const affinity = affinityOf(json.prompt_cache_key, json.user);
      const prompt = measureResponses({ ...json, ...changed });
      const sent = { alias, prompt, maxTokens, affinity };
      const bytes = checkedBytes(body, json, changed);
      const endUser = firstTextOf([json.safety_identifier, json.user]);
      return { stream, endUser, call: forwardedCall(WireName.RESPONSES, bytes, sent) };
    },
    createErrorEvent: createFailedEvent,
  });
}
