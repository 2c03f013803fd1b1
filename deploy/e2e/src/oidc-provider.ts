import { createServer } from "node:http";
import { freePort } from "@tollgate/local/free-port";
import Provider from "oidc-provider";

export const oidcClient = { id: "tollgate-console", secret: "secret-of-the-client" };

export interface OidcProviderUnderTest {
  issuer: string;
  stop(): Promise<void>;
}

/**
 * Starts an OpenID provider that lets anybody sign in by name. `groupsOf` returns the groups of a
 * name.
 */
export async function startOidcProvider(
  redirectUrl: string,
  groupsOf: (name: string) => string[],
): Promise<OidcProviderUnderTest> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: oidcClient.id,
        client_secret: oidcClient.secret,
        redirect_uris: [redirectUrl],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    claims: { openid: ["sub"], email: ["email"], profile: ["groups"] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    cookies: { keys: ["key-of-the-test"] },
    pkce: { required: () => true },
    findAccount: (_context, name) => ({
      accountId: name,
      claims: async () => ({ sub: name, email: `${name}@example.com`, groups: groupsOf(name) }),
    }),
  });
  const server = createServer(provider.callback());
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    issuer,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
