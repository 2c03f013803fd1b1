import type { Credentials, OutboundRequest } from "@tollgate/catalog/provider-kind";

/** Authorizes a request by the header `xi-api-key`. */
export function authorize(
  _request: OutboundRequest,
  { apiKey }: Credentials,
): Record<string, string> {
  return apiKey === undefined ? {} : { "xi-api-key": apiKey };
}
