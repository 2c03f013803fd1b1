import { servableModel } from "@tollgate/catalog/model";
import { headersOfRates } from "@tollgate/http/rate-headers";
import { billableHandler } from "../../billable/billable-handler.ts";
import { eventStreamOf } from "../../billable/event-stream.ts";
import type { KeyedHandler } from "../../http/handler.ts";
import { jsonType } from "../../http/response.ts";
import type { RouteDependencies } from "../dependencies.ts";
import type { HandlerRules } from "../route-rules.ts";
import { parseChat } from "./parse-chat.ts";

/** A chat completion is cancelled after this time, measured to its last byte. */
const timeoutMs = 30 * 60 * 1_000;

/** POST /v1/chat/completions. Every response has the rate limit headers. */
export function createChatCompletion(
  dependencies: RouteDependencies,
  rules: HandlerRules,
): KeyedHandler {
  const { catalog, advertised, services } = dependencies;
  return billableHandler(dependencies, rules, {
    conversationOf: ({ session_id: id }) => (typeof id === "string" ? id.toLowerCase() : undefined),
    headers: ({ keyId }) => advertised.headers(keyId),
    parse(json, body, { models }) {
      const passesOf = (alias: unknown) => servableModel(catalog(), alias, "chat", models)?.passes;
      const { stream, call } = parseChat(json, body, passesOf);
      return async (caller, options) => {
        const { keyId } = caller;
        const request = { call: { ...call, caller } };
        advertised.countRequest(keyId);
        if (stream) {
          const parts = services.chat.stream(request, { ...options, timeoutMs });
          return eventStreamOf(parts, { keyId, advertised });
        }
        const response = await services.chat.complete(request, { ...options, timeoutMs });
        advertised.countTokens(keyId, Number(response.totalTokens));
        const headers = () => headersOfRates(response.rates ?? {});
        return { contentType: jsonType, body: response.body, headers };
      };
    },
  });
}
