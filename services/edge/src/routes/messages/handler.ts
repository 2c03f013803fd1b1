import { isJsonObject } from "@tollgate/core/json";
import { WireName } from "@tollgate/proto/tollgate/v1/chat";
import { callerOf } from "../../auth/caller.ts";
import { affinityOf, firstTextOf } from "../../billable/affinity.ts";
import { checkedBytes, clientHeaders, forwardedCall } from "../../billable/forwarded-call.ts";
import { wireHandler } from "../../billable/wire-handler.ts";
import type { KeyedHandler } from "../../http/handler.ts";
import { parseJsonObject } from "../../http/json-body.ts";
import { readBody } from "../../http/read-body.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { jsonType, writeResponse } from "../../http/response.ts";
import { requireListed } from "../../validation/allow-list.ts";
import { validate, withoutNulls } from "../../validation/validate.ts";
import { type AgentModel, agentModelOf } from "../agent-model.ts";
import type { RouteDependencies } from "../dependencies.ts";
import type { HandlerRules } from "../route-rules.ts";
import { countTokensList, messagesList } from "./allow-list.ts";
import { DroppedBetas } from "./betas.ts";
import { messagesError } from "./error-form.ts";
import { measureMessages } from "./prompt-size.ts";
import { countTokensSchema, messagesSchema } from "./schema.ts";

const betaHeader = "anthropic-beta";

/** POST /v1/messages. */
export function createMessage(dependencies: RouteDependencies, rules: HandlerRules): KeyedHandler {
  const { catalog, log, metrics } = dependencies;
  const betas = new DroppedBetas(log, metrics);
  return wireHandler(dependencies, rules, {
    parse(json, body, { models }, context) {
      const model = agentModelOf(catalog(), json.model, models);
      requireListed(messagesList, json, model.allows);
      const fields = validate(messagesSchema, withoutNulls(messagesSchema, json));
      const { model: alias, stream = false, max_tokens: maxTokens } = fields;
      const headers = sentHeaders(context, betas, model);
      const userId = isJsonObject(json.metadata) ? json.metadata.user_id : undefined;
      const affinity = affinityOf(userId);
      const sent = { alias, prompt: measureMessages(json), maxTokens, affinity, headers };
      const call = forwardedCall(WireName.MESSAGES, checkedBytes(body, json), sent);
      return { stream, endUser: firstTextOf([userId]), call };
    },
    createErrorEvent: ({ requestId }) => ({
      see() {},
      write: (error) =>
        `event: error\ndata: ${JSON.stringify(messagesError(error, requestId))}\n\n`,
    }),
  });
}

const countTimeoutMs = 60_000;

/** POST /v1/messages/count_tokens. It costs nothing, and requires a wallet with a balance. */
export function countMessageTokens(
  { balance, bodies, catalog, log, metrics, services }: RouteDependencies,
  { checkQuery }: HandlerRules,
): KeyedHandler {
  const betas = new DroppedBetas(log, metrics);
  return async (context, principal) => {
    await balance.check(principal.accountId);
    checkQuery(context.req);
    const forwarded = await bodies.hold(principal.keyId, async (reservation) => {
      const body = await readBody(context, reservation);
      const json = parseJsonObject(body);
      if (typeof json.model === "string") context.alias = json.model;
      const model = agentModelOf(catalog(), json.model, principal.models);
      requireListed(countTokensList, json, model.allows);
      const { model: alias } = validate(countTokensSchema, withoutNulls(countTokensSchema, json));
      const headers = sentHeaders(context, betas, model);
      const sent = { alias, prompt: measureMessages(json), affinity: "", headers };
      return forwardedCall(WireName.MESSAGES, checkedBytes(body, json), sent);
    });
    const call = { ...forwarded, caller: callerOf(context, principal) };
    const options = { signal: context.signal, timeoutMs: countTimeoutMs };
    const response = await services.chat.countTokens({ call }, options);
    writeResponse(context, { contentType: jsonType, body: response.body });
  };
}

/** Returns the client's headers that providers are sent. */
function sentHeaders(context: RequestContext, betas: DroppedBetas, model: AgentModel) {
  const headers = clientHeaders(context, ["anthropic-version", betaHeader]);
  const header = headers[betaHeader];
  if (header === undefined) return headers;
  const sent = betas.sentHeader(header, model);
  if (sent === "") delete headers[betaHeader];
  else headers[betaHeader] = sent;
  return headers;
}
