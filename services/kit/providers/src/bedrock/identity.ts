import type { IdentitySource } from "@tollgate/catalog/identity";
import { isHttpsHost } from "../https-host.ts";
import { variables } from "./auth.ts";
import { awsCredentials } from "./aws-signature.ts";

const vendorHost =
  /^bedrock(-agent)?(-runtime)?(-fips)?\.[a-z0-9-]+\.(amazonaws\.com(\.cn)?|api\.aws)$/;

/**
 * The credentials of AWS's default chain: an access key in the environment, a profile, a web identity
 * (IRSA), EKS Pod Identity, ECS and EC2. With a role, those that its `AssumeRole` returns to them.
 */
export const awsIdentity: IdentitySource = {
  settings: {
    role_arn: {
      pattern: /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/,
      described: "the ARN of a role, such as arn:aws:iam::123456789012:role/tollgate",
    },
    external_id: {
      pattern: /^[\w+=,.@:/-]{2,1224}$/,
      described: "an external id of 2 to 1224 letters, digits and +=,.@:/-_",
      needs: "role_arn",
    },
    session_name: {
      pattern: /^[\w+=,.@-]{2,64}$/,
      described: "a session name of 2 to 64 letters, digits and +=,.@-_",
      needs: "role_arn",
    },
  },
  // An access key in the environment signs without a package.
  isDefault: (env) => !env[variables.key] && awsCredentials(env) === undefined,
  isVendorAddress: (url) => isHttpsHost(url, vendorHost),
  load: async () => (await import("./aws-grant.ts")).readAwsGrant,
};
