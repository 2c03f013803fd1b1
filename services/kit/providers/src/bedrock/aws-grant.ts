import { Agent } from "node:https";
import { fromNodeProviderChain, fromTemporaryCredentials } from "@aws-sdk/credential-providers";
import {
  IdentityFailure,
  type IdentityGrant,
  type IdentityRequest,
} from "@tollgate/catalog/identity";
import type { Environment } from "@tollgate/core/config";
import { type ProxySettings, proxyEnvironment } from "@tollgate/core/proxy-settings";
import { hideKeys } from "@tollgate/upstream/redaction";
import { awsCredentials } from "./aws-signature.ts";
import { containerAddress, readContainerCredentials } from "./container-credentials.ts";

/** Of each request to AWS's token service, which is repeated twice. */
const requestMs = 3_000;
const maxMessageCharacters = 300;
const defaultSessionName = "tollgate";

type AwsProvider = ReturnType<typeof fromNodeProviderChain>;

/** Reads credentials of AWS: those of the process, or those of a role that it assumes. */
export async function readAwsGrant({
  settings,
  region,
  env,
  proxies,
}: IdentityRequest): Promise<IdentityGrant> {
  const clientConfig = clientConfigOf(env, region, proxies);
  const own = ownProvider(env, clientConfig);
  const provider = settings.role_arn === undefined ? own : assumedRole(own);
  try {
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = await provider();
    const token = sessionToken === undefined ? {} : { sessionToken };
    return {
      values: { accessKeyId, secretAccessKey, ...token },
      expiresAtMs: expiration?.getTime(),
    };
  } catch (error) {
    throw error instanceof IdentityFailure ? error : failureOf(error);
  }

  function assumedRole(masterCredentials: AwsProvider): AwsProvider {
    return fromTemporaryCredentials({
      masterCredentials,
      clientConfig,
      params: {
        RoleArn: settings.role_arn,
        RoleSessionName: settings.session_name ?? defaultSessionName,
        ...(settings.external_id === undefined ? {} : { ExternalId: settings.external_id }),
      },
    });
  }
}

/** The gateway's own requests to AWS's token service, which go through the proxies of the provider. */
function clientConfigOf(env: Environment, region: string | undefined, proxies: ProxySettings) {
  const agent =
    proxies.https === undefined
      ? {}
      : { httpsAgent: new Agent({ proxyEnv: proxyEnvironment(proxies) }) };
  const own = env.AWS_REGION || env.AWS_DEFAULT_REGION || region;
  return {
    ...(own === undefined ? {} : { region: own }),
    requestHandler: {
      ...{ requestTimeout: requestMs, connectionTimeout: requestMs },
      // Without it, the package prints a warning and waits on.
      throwOnRequestTimeout: true,
      ...agent,
    },
  };
}

/**
 * Returns what reads the credentials of the process: variables, or the default chain of the package. If the
 * chain would end at a container's credential server, that server is called directly, since the chain drops
 * its error message and waits for its response without a limit.
 */
function ownProvider(
  env: Environment,
  clientConfig: ReturnType<typeof clientConfigOf>,
): AwsProvider {
  const known = awsCredentials(env);
  if (known !== undefined && !env.AWS_PROFILE) return async () => known as never;
  const address = containerAddress(env);
  const isEarlier = Boolean(env.AWS_PROFILE || env.AWS_WEB_IDENTITY_TOKEN_FILE);
  if (address === undefined || isEarlier) return fromNodeProviderChain({ clientConfig });
  return () => readContainerCredentials(address, env);
}

/**
 * AWS refuses an identity by a 4xx. Its messages, and those of the chain, name roles and actions. The message of
 * a response that cannot be parsed is left out, since it may quote credentials.
 */
function failureOf(error: unknown): IdentityFailure {
  const { name, message, $metadata } = error as Error & {
    $metadata?: { httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode ?? Number(/status: (\d{3})/.exec(message)?.[1]);
  const isRefused =
    (status >= 400 && status < 500 && status !== 408 && status !== 429) ||
    /^Could not load credentials/.test(message);
  const isSaid = status >= 400 || name === "CredentialsProviderError";
  const text = hideKeys(isSaid ? `${name}: ${message}` : name).slice(0, maxMessageCharacters);
  return new IdentityFailure(`AWS: ${text}`, isRefused);
}
