import type { Credentials, OutboundRequest } from "@tollgate/catalog/provider-kind";

/** Authorizes a request by the API key as a bearer token, as most vendors take it. */
export function bearer(_request: OutboundRequest, { apiKey }: Credentials): Record<string, string> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
}
