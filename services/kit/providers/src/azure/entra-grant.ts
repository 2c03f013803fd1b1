import { readFile } from "node:fs/promises";
import {
  ConfidentialClientApplication,
  ManagedIdentityApplication,
  type NodeAuthOptions,
} from "@azure/msal-node";
import {
  IdentityFailure,
  type IdentityGrant,
  type IdentityRequest,
  type IdentitySettings,
} from "@tollgate/catalog/identity";
import type { Environment } from "@tollgate/core/config";
import { hideKeys } from "@tollgate/upstream/redaction";
import { TokenRequests } from "./token-requests.ts";

const maxMessageCharacters = 300;
const publicAuthority = "https://login.microsoftonline.com";
/** The domains of Azure by the hosts of its authorities; of all others, that of the public cloud. */
const domains: { readonly [Host in string]?: string } = {
  "login.microsoftonline.us": "azure.us",
  "login.chinacloudapi.cn": "azure.cn",
  "login.partner.microsoftonline.cn": "azure.cn",
};
/** These are also the responses of a metadata server that is being updated. */
const notRefused = new Set([404, 408, 410, 429]);

/**
 * Reads an access token of Microsoft Entra ID: by the client secret in the environment, else by the token of
 * a workload identity, else from the server of a managed identity. The package's cache is not used, since it
 * would return a token that the provider has refused.
 */
export async function readEntraGrant(request: IdentityRequest): Promise<IdentityGrant> {
  const requests = new TokenRequests(request.proxies);
  try {
    const acquired = await requests.during(() => acquire(request, requests));
    const { accessToken: token, expiresOn } = acquired ?? {};
    // Of a refusal without a code, the package makes a response without a token.
    if (!token) throw failureOf(new Error("no token"), requests);
    return { values: { token }, expiresAtMs: expiresOn?.getTime() };
  } catch (error) {
    throw error instanceof IdentityFailure ? error : failureOf(error, requests);
  }
}

async function acquire(
  { settings, env }: IdentityRequest,
  requests: TokenRequests,
): ReturnType<ConfidentialClientApplication["acquireTokenByClientCredential"]> {
  const authority = new URL(env.AZURE_AUTHORITY_HOST || publicAuthority);
  const resource = `https://cognitiveservices.${domains[authority.host] ?? "azure.com"}`;
  const clientId = settings.client_id ?? env.AZURE_CLIENT_ID;
  const proof = proofOf(env);
  if (proof !== undefined) {
    const auth = { ...authorityOf(authority, settings, env), clientId: clientId ?? "", ...proof };
    if (!clientId) throw missing("AZURE_CLIENT_ID");
    const application = new ConfidentialClientApplication({
      ...{ auth, system: { networkClient: requests } },
    });
    const scopes = [`${resource}/.default`];
    return application.acquireTokenByClientCredential({ scopes, skipCache: true });
  }
  const application = new ManagedIdentityApplication({
    managedIdentityIdParams: clientId ? { userAssignedClientId: clientId } : {},
    system: { networkClient: requests, disableInternalRetries: true },
  });
  return application.acquireToken({ resource, forceRefresh: true });
}

/** Returns what proves who the application is; undefined where it has a managed identity. */
function proofOf(
  env: Environment,
): Pick<NodeAuthOptions, "clientSecret" | "clientAssertion"> | undefined {
  const clientSecret = env.AZURE_CLIENT_SECRET;
  if (clientSecret) return { clientSecret };
  const file = env.AZURE_FEDERATED_TOKEN_FILE;
  if (!file) return undefined;
  return { clientAssertion: async () => (await readFile(file, "utf8")).trim() };
}

/** With its endpoints, the package requests no description of the authority. */
function authorityOf({ origin, host }: URL, settings: IdentitySettings, env: Environment) {
  const tenant = settings.tenant_id ?? env.AZURE_TENANT_ID;
  if (!tenant) throw missing("AZURE_TENANT_ID");
  const authority = `${origin}/${tenant}`;
  const endpoints = {
    authorization_endpoint: `${authority}/oauth2/v2.0/authorize`,
    token_endpoint: `${authority}/oauth2/v2.0/token`,
    issuer: `${authority}/v2.0`,
  };
  return { authority, authorityMetadata: JSON.stringify(endpoints), knownAuthorities: [host] };
}

function missing(variable: string): IdentityFailure {
  return new IdentityFailure(`Azure: the environment variable ${variable} is not set`, true);
}

/** Entra ID and managed identities refuse by a 4xx, whose words name applications and tenants. */
function failureOf(error: unknown, { refusal }: TokenRequests): IdentityFailure {
  if (refusal === undefined) {
    const { code, name } = error as Error & { code?: unknown };
    return new IdentityFailure(`Azure: no access token (${String(code ?? name)})`, false);
  }
  const { status, words } = refusal;
  const isRefused = status >= 400 && status < 500 && !notRefused.has(status);
  const said = isRefused && words !== "" ? words : `no access token (${status})`;
  return new IdentityFailure(`Azure: ${hideKeys(said).slice(0, maxMessageCharacters)}`, isRefused);
}
