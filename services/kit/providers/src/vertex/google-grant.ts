import {
  IdentityFailure,
  type IdentityGrant,
  type IdentityRequest,
} from "@tollgate/catalog/identity";
import type { Environment } from "@tollgate/core/config";
import type { ProxySettings } from "@tollgate/core/proxy-settings";
import { hideKeys } from "@tollgate/upstream/redaction";
import { type AuthClient, GoogleAuth, gaxios, Impersonated } from "google-auth-library";

const scopes = ["https://www.googleapis.com/auth/cloud-platform"];
/** How long a token of an impersonated service account is valid. */
const impersonatedSeconds = 3_600;
const requestMs = 5_000;
const maxMessageCharacters = 300;
const metadataHosts = ["169.254.169.254", "metadata.google.internal", "metadata.google.internal."];

/** Reads an access token of Application Default Credentials, or of the service account that they impersonate. */
export async function readGoogleGrant({
  settings,
  env,
  proxies,
}: IdentityRequest): Promise<IdentityGrant> {
  try {
    exceptMetadataServer(env);
    const transporterOptions = { ...proxyOf(proxies), timeout: requestMs };
    // With a project, the package does not look for one.
    const auth = new GoogleAuth({
      ...{ scopes, projectId: "unused", clientOptions: { transporterOptions } },
    });
    const own = await auth.getClient();
    const client = settings.impersonate === undefined ? own : actAs(own, settings.impersonate);
    const { token } = await client.getAccessToken();
    if (!token) throw new IdentityFailure("Google: the token server sends no token", false);
    const expiresAtMs = client.credentials.expiry_date ?? undefined;
    return { values: { token }, expiresAtMs };
  } catch (error) {
    throw error instanceof IdentityFailure ? error : failureOf(error);
  }
}

/**
 * Excepts the metadata server from the proxies of the environment, by the defaults of the client with which the
 * package calls it: no proxy reaches that server.
 */
function exceptMetadataServer(env: Environment): void {
  const [own = ""] = (env.GCE_METADATA_HOST ?? "").split(":");
  const noProxy = [...metadataHosts, own].filter((name) => name !== "");
  gaxios.instance.defaults = { ...gaxios.instance.defaults, noProxy };
}

function actAs(sourceClient: AuthClient, targetPrincipal: string): AuthClient {
  const lifetime = impersonatedSeconds;
  return new Impersonated({ sourceClient, targetPrincipal, targetScopes: scopes, lifetime });
}

/** The package reads the proxies of the environment, unless all addresses are excepted. */
function proxyOf({ https, none }: ProxySettings) {
  if (https === undefined) return { noProxy: [/^/] };
  return { proxy: https, noProxy: none.split(",").map((name) => name.trim()) };
}

/**
 * Google refuses an identity by a 4xx of its token service, or where there is none. Of other errors only the
 * code is told: their messages may quote a response.
 */
function failureOf(error: unknown): IdentityFailure {
  const { message, status, response, code } = error as Error & {
    status?: number;
    response?: { status?: number };
    code?: unknown;
  };
  const answered = status ?? response?.status;
  const isNone = /^Could not load the default credentials/.test(message);
  const isRefused =
    isNone || (answered !== undefined && answered >= 400 && answered < 500 && answered !== 429);
  const said = isRefused
    ? message
    : `no access token (${String(answered ?? code ?? "no response")})`;
  return new IdentityFailure(`Google: ${hideKeys(said).slice(0, maxMessageCharacters)}`, isRefused);
}
