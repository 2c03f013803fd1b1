import { type RateLimitHeader, rateLimitHeaders } from "../rate-windows.ts";
import type { JsonSchema } from "./schema.ts";

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
    description: "Requests that the key may make in a minute. Nothing is refused by it today.",
    schema: count,
  },
  "x-ratelimit-limit-tokens": {
    description: "Tokens that the key may use in a minute. Nothing is refused by it today.",
    schema: count,
  },
  "x-ratelimit-remaining-requests": {
    description: "Requests that are left in the trailing minute.",
    schema: count,
  },
  "x-ratelimit-remaining-tokens": {
    description: "Tokens that are left in the trailing minute.",
    schema: count,
  },
  "x-ratelimit-reset-requests": {
    description: "Time until the count of requests is back at nothing, as 12ms, 1s or 6m0s.",
    schema: duration,
  },
  "x-ratelimit-reset-tokens": {
    description: "Time until the count of tokens is back at nothing, as 12ms, 1s or 6m0s.",
    schema: duration,
  },
};

/** Every header of an answer that has a meaning of its own here. */
export const headers = {
  "x-request-id": {
    description:
      "The request's id: quote it in questions. A replayed answer carries the id of the request " +
      "that it was first given to.",
    required: true,
    schema: requestId,
  },
  "Inference-Id": {
    description: "The same id again, on answers to a settlement-channel key.",
    schema: requestId,
  },
  "Idempotency-Replayed": {
    description: "There, and `true`, on an answer that was given before.",
    schema: { type: "string", const: "true" },
  },
  "Retry-After": {
    description: "Seconds after which another try makes sense.",
    schema: { type: "string", pattern: "^[0-9]+$" },
  },
  "x-should-retry": {
    description: "Tells client libraries whether to send the request again.",
    schema: { type: "string", enum: ["true", "false"] },
  },
  "WWW-Authenticate": {
    description: "How to authenticate.",
    required: true,
    schema: { type: "string", const: "Bearer" },
  },
  ...rateLimits,
} satisfies Record<string, HeaderDoc>;

export type HeaderName = keyof typeof headers;

/** The headers of an answer, each by a reference. */
export function referToHeaders(names: readonly HeaderName[]): Record<string, JsonSchema> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const rateLimitNames: readonly HeaderName[] = rateLimitHeaders;
