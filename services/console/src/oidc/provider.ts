import type { Log } from "@tollgate/core/log";
import type { ProxySettings } from "@tollgate/core/proxy-settings";
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";
import { EnvHttpProxyAgent, type RequestInit, fetch as undiciFetch } from "undici";
import { isLocal, type OidcSettings } from "./settings.ts";

/** What the console remembers of a sign-in while the browser is at the provider. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  verifier: string;
}

/** What the provider says of who has signed in. */
export type Claims = Readonly<Record<string, unknown>> & { sub: string; iss: string };

/** The OpenID provider: the authorization code flow with PKCE, state and nonce. */
export interface OidcProvider {
  /** Resolves with where to send the browser, and what to remember meanwhile. */
  begin(): Promise<{ url: URL; pending: PendingSignIn }>;
  /** Resolves with the claims of who came back at `url`. Throws where the response is not valid. */
  complete(url: URL, pending: PendingSignIn): Promise<Claims>;
}

export function createOidcProvider(
  settings: OidcSettings,
  proxies: ProxySettings,
  redirectUrl: string,
  log: Log,
): OidcProvider {
  let discovered: Promise<Configuration> | undefined;

  /** The provider may be away when the console starts, so that it is discovered at its first use. */
  function configuration(): Promise<Configuration> {
    discovered ??= discover(settings, proxies).catch((error) => {
      discovered = undefined;
      log.warn({ err: error, issuer: settings.issuer.href }, "cannot discover the OpenID provider");
      throw error;
    });
    return discovered;
  }

  return {
    async begin() {
      const config = await configuration();
      const pending = {
        state: randomState(),
        nonce: randomNonce(),
        verifier: randomPKCECodeVerifier(),
      };
      const url = buildAuthorizationUrl(config, {
        redirect_uri: redirectUrl,
        scope: settings.scopes,
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: "S256",
      });
      return { url, pending };
    },
    async complete(url, { state, nonce, verifier }) {
      const config = await configuration();
      const tokens = await authorizationCodeGrant(config, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error("the provider sent no ID token");
      const { userinfo_endpoint: hasUserInfo } = config.serverMetadata();
      if (claims[settings.roleClaim] !== undefined || hasUserInfo === undefined) return claims;
      // Some providers put these claims into the user info alone.
      return { ...(await fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims };
    },
  };
}

function discover(
  { issuer, clientId, clientSecret }: OidcSettings,
  proxies: ProxySettings,
): Promise<Configuration> {
  const isHttp = issuer.protocol === "http:" && isLocal(issuer.hostname);
  const execute = isHttp ? [allowInsecureRequests] : [];
  const fetchThrough = throughProxies(proxies);
  return discovery(issuer, clientId, clientSecret, undefined, {
    execute,
    ...(fetchThrough && { [customFetch]: fetchThrough }),
  });
}

/** Returns a `fetch` through the proxies of the environment; undefined where it names none. */
function throughProxies({ http, https, none }: ProxySettings): CustomFetch | undefined {
  if (http === undefined && https === undefined) return undefined;
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: http ?? "",
    httpsProxy: https ?? "",
    noProxy: none,
  });
  // The library's responses are those of its own types, and those of Node.
  const fetched = (url: string, options: object) =>
    undiciFetch(url, { ...(options as RequestInit), dispatcher });
  return fetched as unknown as CustomFetch;
}
