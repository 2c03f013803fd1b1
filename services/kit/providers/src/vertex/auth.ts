import type { Credentials, OutboundRequest } from "@tollgate/catalog/provider-kind";

/** Authorizes a request by an API key of Google Cloud, else by the access token of its identity. */
export function authorize(
  _request: OutboundRequest,
  { apiKey, identity }: Credentials,
): Record<string, string> {
  if (apiKey !== undefined) return { "x-goog-api-key": apiKey };
  return identity === undefined ? {} : { authorization: `Bearer ${identity.token}` };
}
