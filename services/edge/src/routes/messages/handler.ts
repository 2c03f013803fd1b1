import { Wire } from "@tollgate/proto/tollgate/v1/chat";
import { callerOf } from "../../auth/caller.ts";
import { clientHeaders, forwardedCall } from "../../billable/forwarded-call.ts";
import { wireHandler } from "../../billable/wire-handler.ts";
import type { KeyedHandler } from "../../http/handler.ts";
import { parseJsonObject, readBody } from "../../http/json-body.ts";
import { jsonType, writeResponse } from "../../http/response.ts";
import { validate, withoutNulls } from "../../validation/validate.ts";
import type { RouteDependencies } from "../dependencies.ts";
import type { HandlerRules } from "../route-rules.ts";
import { messagesError } from "./error-form.ts";
import { measureMessages } from "./prompt-size.ts";
import { countTokensSchema, messagesSchema } from "./schema.ts";

const headerNames = ["anthropic-version", "anthropic-beta"];

/** POST /v1/messages. */
export function createMessage(dependencies: RouteDependencies, rules: HandlerRules): KeyedHandler {
  return wireHandler(dependencies, rules, {
    parse(json, body, _principal, context) {
      const fields = validate(messagesSchema, withoutNulls(messagesSchema, json));
      const { model: alias, stream = false, max_tokens: maxTokens } = fields;
      const headers = clientHeaders(context, headerNames);
      const sent = { alias, prompt: measureMessages(json), maxTokens, headers };
      return { stream, call: forwardedCall(Wire.MESSAGES, body, sent) };
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
  { balance, services }: RouteDependencies,
  { checkQuery }: HandlerRules,
): KeyedHandler {
  return async (context, principal) => {
    await balance.check(principal.accountId);
    checkQuery(context.req);
    const body = await readBody(context);
    const json = parseJsonObject(body);
    if (typeof json.model === "string") context.alias = json.model;
    const { model: alias } = validate(countTokensSchema, withoutNulls(countTokensSchema, json));
    const headers = clientHeaders(context, headerNames);
    const sent = { alias, prompt: measureMessages(json), headers };
    const forwarded = forwardedCall(Wire.MESSAGES, body, sent);
    const call = { ...forwarded, caller: callerOf(context, principal) };
    const options = { signal: context.signal, timeoutMs: countTimeoutMs };
    const response = await services.chat.countTokens({ call }, options);
    writeResponse(context, { contentType: jsonType, body: response.body });
  };
}
