import type { Credentials, OutboundRequest } from "@tollgate/catalog/provider-kind";

/** Authorizes a request by the header `x-api-key`, and names the version of the API. */
export function authorize(
  _request: OutboundRequest,
  { apiKey }: Credentials,
): Record<string, string> {
  const version = { "anthropic-version": "2023-06-01" };
  return apiKey === undefined ? version : { ...version, "x-api-key": apiKey };
}
