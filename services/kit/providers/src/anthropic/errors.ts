import { isJsonObject } from "@tollgate/core/json";

/**
 * Returns the HTTP status of an error in Anthropic's form, which an error event in a stream does not
 * have; undefined where its type is unknown. https://docs.claude.com/en/api/errors
 */
export function messagesStatusOf(error: unknown): number | undefined {
  const type = isJsonObject(error) && typeof error.type === "string" ? error.type : "";
  return statusOfType[type];
}

const statusOfType: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};
