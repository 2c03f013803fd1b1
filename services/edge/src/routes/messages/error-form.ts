import { type ErrorCode, errorCatalogue, type GatewayError } from "@tollgate/core/errors";
import type { ErrorForm } from "../../http/error-form.ts";

/** The error types of Anthropic's API by HTTP status: https://docs.claude.com/en/api/errors */
const types: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** The status of an overload at providers of other APIs. */
const overloaded = 503;

function typeOf(status: number): string {
  return types[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
}

/** By these details, Anthropic's clients know that they can continue without a thread. */
const noThreads = { error_code: "thread_unsupported_request", unsupported: ["thread"] };

/**
 * Returns an error in the form of Anthropic's API, with our code. Where a provider broke a stream, the type
 * is that of its error.
 */
export function messagesError(error: GatewayError, requestId: string): object {
  const { status, code, message, param, providerStatus } = error;
  const type = providerStatus === overloaded ? typeOf(529) : typeOf(providerStatus ?? status);
  const named = param === undefined ? {} : { param };
  const details = param === "thread" ? { details: noThreads } : {};
  return {
    type: "error",
    error: { type, message, ...named, code, ...details },
    request_id: requestId,
  };
}

const codes = Object.keys(errorCatalogue) as ErrorCode[];

export const messagesErrorForm: ErrorForm = {
  name: "MessagesError",
  schema: {
    type: "object",
    required: ["type", "error", "request_id"],
    properties: {
      type: { const: "error" },
      error: {
        type: "object",
        required: ["type", "message", "code"],
        properties: {
          type: {
            type: "string",
            enum: [
              ...new Set([
                ...codes.map((code) => typeOf(errorCatalogue[code].status)),
                ...Object.values(types),
              ]),
            ],
            description: "The category of the error.",
          },
          message: {
            type: "string",
            description: "A message for people. Its wording may change.",
          },
          param: {
            type: "string",
            description: "The field that caused the error, if there is one.",
          },
          code: {
            type: "string",
            enum: codes,
            description: "The error code, for programs. Codes do not change.",
          },
          details: {
            type: "object",
            description:
              "Says that threads are not supported, in the terms of Anthropic's clients.",
          },
        },
      },
      request_id: { type: "string", description: "The value of `x-request-id`." },
    },
  },
  bodyOf: messagesError,
};
