import type { Credentials, OutboundRequest } from "@tollgate/catalog/provider-kind";
import { bearer } from "../bearer.ts";
import { awsCredentials, signAwsRequest } from "./aws-signature.ts";

/** The variables of a provider whose entry names none: a key for Bedrock alone, or an access key. */
export const variables = {
  key: "AWS_BEARER_TOKEN_BEDROCK",
  instead: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
  owner: "AWS",
  pattern: /^AWS_/,
};

/** Authorizes a request by the API key, else by a signature with the access key. */
export function authorize(
  request: OutboundRequest,
  credentials: Credentials,
): Record<string, string> {
  const { apiKey, region = "", env } = credentials;
  const accessKey = awsCredentials(env);
  if (apiKey !== undefined || accessKey === undefined) return bearer(request, credentials);
  const { method, origin, path, headers, body = Buffer.alloc(0) } = request;
  const { "content-type": type = "" } = headers;
  return signAwsRequest(
    { method, origin, path, headers: { "content-type": type }, body },
    accessKey,
    {
      region,
      service: "bedrock",
      now: new Date(),
    },
  );
}
