import type { Credentials, OutboundRequest } from "@tollgate/catalog/provider-kind";

/** Authorizes a request by the access token of its identity, else by the header `api-key`. */
export function authorize(
  _request: OutboundRequest,
  { apiKey, identity }: Credentials,
): Record<string, string> {
  if (identity !== undefined) return { authorization: `Bearer ${identity.token}` };
  return apiKey === undefined ? {} : { "api-key": apiKey };
}
