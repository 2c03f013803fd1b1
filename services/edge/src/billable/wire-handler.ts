import type { GatewayError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import { headersOfRates } from "@tollgate/http/rate-headers";
import type { PromptSize } from "@tollgate/proto/tollgate/v1/chat";
import type { Wire } from "@tollgate/proto/tollgate/v1/wire";
import type { KeyedHandler } from "../http/handler.ts";
import { withoutMark } from "../http/json-body.ts";
import type { RequestContext } from "../http/request-context.ts";
import { jsonType } from "../http/response.ts";
import type { RouteDependencies } from "../routes/dependencies.ts";
import type { HandlerRules } from "../routes/route-rules.ts";
import { billableHandler } from "./billable-handler.ts";
import { eventStreamOf } from "./event-stream.ts";

/** A response is cancelled after this time, measured to its last byte. */
const timeoutMs = 30 * 60 * 1_000;

/** A validated request of a wire. */
export interface WireRequest {
  alias: string;
  stream: boolean;
  prompt: PromptSize;
  maxTokens: number | undefined;
}

/** The particulars of a route that serves another wire than chat completions. */
export interface WireRoute {
  wire: Wire;
  /** Validates the body of a request. Throws `invalid_param`. */
  parse(body: JsonObject): WireRequest;
  /** The headers that a provider which speaks the wire is sent. */
  forwardedHeaders: readonly string[];
  /** Creates what writes the event that ends a stream which fails. */
  createErrorEvent(context: RequestContext): ErrorEvent;
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
  const { advertised, services } = dependencies;
  return billableHandler(dependencies, rules, {
    headers: ({ keyId }) => advertised.headers(keyId),
    parse(json, body, _principal, context) {
      const { alias, stream, prompt, maxTokens } = route.parse(json);
      const headers = forwardedOf(context, route);
      const bytes = withoutMark(body);
      const limit = maxTokens === undefined ? {} : { maxTokens: BigInt(maxTokens) };
      return async (caller, options) => {
        const { keyId } = caller;
        const call = { caller, alias, wire: route.wire, body: bytes, prompt, headers, ...limit };
        advertised.countRequest(keyId);
        if (!stream) {
          const response = await services.wires.completeWire({ call }, { ...options, timeoutMs });
          advertised.countTokens(keyId, Number(response.totalTokens));
          const ownHeaders = () => headersOfRates(response.rates ?? {});
          return { contentType: jsonType, body: response.body, headers: ownHeaders };
        }
        const parts = services.wires.streamWire({ call }, { ...options, timeoutMs });
        const errorEvent = route.createErrorEvent(context);
        const response = eventStreamOf(parts, { keyId, advertised, see: errorEvent.see });
        return { ...response, errorEvent: errorEvent.write };
      };
    },
  });
}

/** Returns the headers of a request that a provider which speaks its wire is sent. */
export function forwardedOf(
  { req }: Pick<RequestContext, "req">,
  { forwardedHeaders }: Pick<WireRoute, "forwardedHeaders">,
): Record<string, string> {
  const forwarded: Record<string, string> = {};
  for (const name of forwardedHeaders) {
    const value = req.headers[name];
    if (value !== undefined) forwarded[name] = [value].flat().join(",");
  }
  return forwarded;
}
