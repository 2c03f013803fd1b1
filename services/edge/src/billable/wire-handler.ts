import { endUserIdOf } from "@tollgate/core/end-user";
import type { GatewayError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import { hasAllRates, headersOfRates } from "@tollgate/http/rate-headers";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import type { Principal } from "../auth/authenticate.ts";
import type { KeyedHandler } from "../http/handler.ts";
import type { RequestBody } from "../http/request-body.ts";
import type { RequestContext } from "../http/request-context.ts";
import { jsonType } from "../http/response.ts";
import type { RouteDependencies } from "../routes/dependencies.ts";
import type { HandlerRules } from "../routes/route-rules.ts";
import { type BillableRoute, billableHandler } from "./billable-handler.ts";
import { eventStreamOf } from "./streamed-response.ts";

/** A validated request of a wire. */
export interface WireRequest {
  stream: boolean;
  /** What the request calls its end user. Empty: nothing. */
  endUser: string;
  /** Complete except for the caller. */
  call: ChatCall;
}

/** The particulars of a route that serves a wire. */
export interface WireRoute extends Pick<BillableRoute, "conversationOf"> {
  /**
   * Validates the JSON of a principal's request, which was parsed from `body`. Throws `unknown_param`
   * and `invalid_param`.
   */
  parse(
    json: JsonObject,
    body: RequestBody,
    principal: Principal,
    context: RequestContext,
  ): WireRequest;
  /**
   * Creates what writes the event that ends a stream which fails. Default: an event whose data is the
   * error envelope.
   */
  createErrorEvent?(context: RequestContext): ErrorEvent;
}

export interface ErrorEvent {
  /** Called with everything that the client is sent. */
  see(chunk: Uint8Array): void;
  write(error: GatewayError): string;
}

/**
 * Returns the handler of a billable route that serves a wire, complete or as a stream. Every response
 * has the rate limit headers.
 */
export function wireHandler(
  dependencies: RouteDependencies,
  rules: HandlerRules,
  route: WireRoute,
): KeyedHandler {
  const { advertised, services, maxResponseMs: timeoutMs } = dependencies;
  return billableHandler(dependencies, rules, {
    ...route,
    headers: ({ keyId }, own) => (hasAllRates(own) ? {} : advertised.headers(keyId)),
    parse(json, body, principal, context) {
      const { stream, endUser: name, call } = route.parse(json, body, principal, context);
      const endUser = endUserIdOf(name, principal.endUserSalt);
      return async (caller, options) => {
        const { keyId } = caller;
        const request = { call: { ...call, caller: { ...caller, endUser } } };
        advertised.countRequest(keyId);
        if (!stream) {
          const response = await services.chat.complete(request, { ...options, timeoutMs });
          advertised.countTokens(keyId, Number(response.totalTokens));
          const headers = () => headersOfRates(response.rates ?? {});
          return { contentType: jsonType, body: response.body, headers };
        }
        const parts = services.chat.stream(request, { ...options, timeoutMs });
        const errorEvent = route.createErrorEvent?.(context);
        if (errorEvent === undefined) return eventStreamOf(parts, { keyId, advertised });
        const response = eventStreamOf(parts, { keyId, advertised, see: errorEvent.see });
        return { ...response, errorEvent: errorEvent.write };
      };
    },
  });
}
