import { servableModel } from "@tollgate/catalog/model";
import type { Rates } from "@tollgate/core/rates";
import { headersOfRates } from "@tollgate/http/rate-headers";
import { billableHandler } from "../../billable/billable-handler.ts";
import type { KeyedHandler } from "../../http/handler.ts";
import { eventStreamType, jsonType } from "../../http/response.ts";
import { eventStream } from "../../http/server-sent-events.ts";
import type { RouteDependencies } from "../dependencies.ts";
import { parseChat } from "./parse-chat.ts";

/** A chat completion is cancelled after this time, measured to its last byte. */
const timeoutMs = 30 * 60 * 1_000;

/** POST /v1/chat/completions. Every response has the rate limit headers. */
export function createChatCompletion(dependencies: RouteDependencies): KeyedHandler {
  const { catalog, rates, services } = dependencies;
  return billableHandler(dependencies, {
    conversationOf: ({ session_id: id }) => (typeof id === "string" ? id.toLowerCase() : undefined),
    headers: ({ keyId }) => rates.headers(keyId),
    parse(json, body, { models }) {
      const passesOf = (alias: unknown) => servableModel(catalog(), alias, "chat", models)?.passes;
      const { stream, call } = parseChat(json, body, passesOf);
      return async (caller, options) => {
        const { keyId } = caller;
        const request = { call: { ...call, caller } };
        rates.countRequest(keyId);
        if (stream) {
          const messages = services.chat.stream(request, { ...options, timeoutMs });
          let limiting: Rates | undefined;
          const chunks = eventStream(messages, (part) => {
            limiting ??= part.rates;
            rates.countTokens(keyId, Number(part.totalTokens));
            return part.chunks;
          });
          const headers = () => headersOfRates(limiting ?? {});
          return { contentType: eventStreamType, chunks, headers };
        }
        const response = await services.chat.complete(request, { ...options, timeoutMs });
        rates.countTokens(keyId, Number(response.totalTokens));
        const headers = () => headersOfRates(response.rates ?? {});
        return { contentType: jsonType, body: response.body, headers };
      };
    },
  });
}
