import { type RateLimitHeader, rateLimitHeaders } from "@tollgate/http/rate-headers";
import type { JsonSchema } from "./json-schema.ts";

export interface HeaderDoc {
  description: string;
  required?: true;
  schema: JsonSchema;
}

const requestId = { type: "string", pattern: "^req_[0-9a-f]{32}$" };
const count = { type: "integer", minimum: 0 };
const duration = { type: "string", pattern: "^([0-9]+m[0-9]+s|[0-9]+m?s)$" };

const rateLimits: Record<RateLimitHeader, HeaderDoc> = {
  "x-ratelimit-limit-requests": {
    description:
      "Requests allowed per minute: by the limit of the key or its account, or else informative.",
    schema: count,
  },
  "x-ratelimit-limit-tokens": {
    description:
      "Tokens allowed per minute: by the limit of the key or its account, or else informative.",
    schema: count,
  },
  "x-ratelimit-remaining-requests": {
    description: "Requests remaining in the trailing minute.",
    schema: count,
  },
  "x-ratelimit-remaining-tokens": {
    description: "Tokens remaining in the trailing minute.",
    schema: count,
  },
  "x-ratelimit-reset-requests": {
    description: "Time until the request count returns to zero, such as 12ms, 1s or 6m0s.",
    schema: duration,
  },
  "x-ratelimit-reset-tokens": {
    description: "Time until the token count returns to zero, such as 12ms, 1s or 6m0s.",
    schema: duration,
  },
};

/** The response headers that are specific to this API. */
export const headers = {
  "x-request-id": {
    description:
      "The id of the request. Include it in support requests. A replayed response has the id of " +
      "the original request.",
    required: true,
    schema: requestId,
  },
  "Inference-Id": {
    description: "The request id again, on responses to a settlement-channel key.",
    schema: requestId,
  },
  "Idempotency-Replayed": {
    description: "Present and `true` on a replayed response.",
    schema: { type: "string", const: "true" },
  },
  "Retry-After": {
    description: "Seconds to wait before a retry.",
    schema: { type: "string", pattern: "^[0-9]+$" },
  },
  "x-should-retry": {
    description: "Whether client libraries should retry the request.",
    schema: { type: "string", enum: ["true", "false"] },
  },
  "WWW-Authenticate": {
    description: "The authentication scheme.",
    required: true,
    schema: { type: "string", const: "Bearer" },
  },
  ...rateLimits,
} satisfies Record<string, HeaderDoc>;

export type HeaderName = keyof typeof headers;

/** Returns references to the descriptions of headers. */
export function headerRefs(names: readonly HeaderName[]): Record<string, JsonSchema> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const rateLimitNames: readonly HeaderName[] = rateLimitHeaders;
