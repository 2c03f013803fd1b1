import type { Credentials, OutboundRequest } from "@tollgate/catalog/provider-kind";

/** Authorizes a request by the key as a token of its own kind. */
export function authorize(
  _request: OutboundRequest,
  { apiKey }: Credentials,
): Record<string, string> {
  return apiKey === undefined ? {} : { authorization: `Token ${apiKey}` };
}
