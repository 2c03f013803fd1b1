import type { IdentityValues } from "@tollgate/catalog/identity";
import type { Credentials, OutboundRequest } from "@tollgate/catalog/provider-kind";
import { bearer } from "../bearer.ts";
import { type AwsCredentials, awsCredentials, signAwsRequest } from "./aws-signature.ts";

/** The variables of a provider whose entry names none: a key for Bedrock alone, or an access key. */
export const variables = {
  key: "AWS_BEARER_TOKEN_BEDROCK",
  instead: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
  owner: "AWS",
  pattern: /^AWS_/,
};

/** Authorizes a request by the API key, else by a signature with an access key: that of its identity first. */
export function authorize(
  request: OutboundRequest,
  credentials: Credentials,
): Record<string, string> {
  const { apiKey, identity, region = "", env } = credentials;
  const accessKey = identity === undefined ? awsCredentials(env) : accessKeyIn(identity);
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

function accessKeyIn({
  accessKeyId,
  secretAccessKey,
  sessionToken,
}: IdentityValues): AwsCredentials {
  return {
    accessKeyId: accessKeyId ?? "",
    secretAccessKey: secretAccessKey ?? "",
    sessionToken,
  };
}
