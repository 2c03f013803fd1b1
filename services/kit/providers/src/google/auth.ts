import type { Credentials, OutboundRequest } from "@tollgate/catalog/provider-kind";

/** Authorizes a request by the header `x-goog-api-key`. */
export function authorize(
  _request: OutboundRequest,
  { apiKey }: Credentials,
): Record<string, string> {
  return apiKey === undefined ? {} : { "x-goog-api-key": apiKey };
}
