import type { JsonObject } from "@tollgate/core/json";
import { Wire } from "@tollgate/proto/tollgate/v1/wire";
import { callerOf } from "../../auth/caller.ts";
import { forwardedOf, type WireRequest, wireHandler } from "../../billable/wire-handler.ts";
import type { KeyedHandler } from "../../http/handler.ts";
import { parseJsonObject, readBody, withoutMark } from "../../http/json-body.ts";
import { jsonType, writeResponse } from "../../http/response.ts";
import { validate, withoutNulls } from "../../validation/validate.ts";
import type { RouteDependencies } from "../dependencies.ts";
import type { HandlerRules } from "../route-rules.ts";
import { messagesError } from "./error-form.ts";
import { measureMessages } from "./prompt-size.ts";
import { countTokensSchema, messagesSchema } from "./schema.ts";

const forwardedHeaders = ["anthropic-version", "anthropic-beta"];

/** POST /v1/messages. */
export function createMessage(dependencies: RouteDependencies, rules: HandlerRules): KeyedHandler {
  return wireHandler(dependencies, rules, {
    wire: Wire.MESSAGES,
    parse: parseMessages,
    forwardedHeaders,
    createErrorEvent: ({ requestId }) => ({
      see() {},
      write: (error) =>
        `event: error\ndata: ${JSON.stringify(messagesError(error, requestId))}\n\n`,
    }),
  });
}

function parseMessages(body: JsonObject): WireRequest {
  const fields = validate(messagesSchema, withoutNulls(messagesSchema, body));
  const { model: alias, stream = false, max_tokens: maxTokens } = fields;
  return { alias, stream, maxTokens, prompt: measureMessages(body) };
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
    const call = {
      caller: callerOf(context, principal),
      alias,
      wire: Wire.MESSAGES,
      body: withoutMark(body),
      prompt: measureMessages(json),
      headers: forwardedOf(context, { forwardedHeaders }),
    };
    const options = { signal: context.signal, timeoutMs: countTimeoutMs };
    const response = await services.wires.countTokens({ call }, options);
    writeResponse(context, { contentType: jsonType, body: response.body });
  };
}
