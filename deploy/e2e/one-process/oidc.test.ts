import { freePort } from "@tollgate/local/free-port";
import { OperatorRole } from "@tollgate/proto/tollgate/v1/operator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browsing, startBrowsing } from "../src/browsing.ts";
import { connectConsole } from "../src/console-client.ts";
import { type OidcProviderUnderTest, oidcClient, startOidcProvider } from "../src/oidc-provider.ts";
import { type OwnStack, startStack } from "../src/stack.ts";

const groups: Readonly<Record<string, string[]>> = { ada: ["admins", "staff"], bob: ["staff"] };

describe("sign-in by an OpenID provider", () => {
  let stack: OwnStack;
  let provider: OidcProviderUnderTest;
  let origin = "";

  beforeAll(async () => {
    const listen = `127.0.0.1:${await freePort()}`;
    origin = `http://${listen}`;
    const redirectUrl = `${origin}/sign-in/oidc/callback`;
    provider = await startOidcProvider(redirectUrl, (name) => groups[name] ?? []);
    stack = await startStack({
      TOLLGATE_CONSOLE_LISTEN: listen,
      TOLLGATE_CONSOLE_URL: origin,
      TOLLGATE_OIDC_ISSUER: provider.issuer,
      TOLLGATE_OIDC_CLIENT_ID: oidcClient.id,
      TOLLGATE_OIDC_CLIENT_SECRET: oidcClient.secret,
      TOLLGATE_OIDC_NAME: "Example",
      TOLLGATE_OIDC_ROLES: "admins=owner,staff=viewer,acme=customer:acme",
    });
  });

  afterAll(async () => {
    await stack.stop();
    await provider.stop();
  });

  const atConsole = () => new RegExp(`^${origin}/(?!sign-in/oidc)`);

  /** Signs in at the provider by name, up to the redirect to the console. */
  async function authenticate(browsing: Browsing, name: string, stopsAt = atConsole(), query = "") {
    const login = await browsing.open(`${origin}/sign-in/oidc${query}`);
    const form = { prompt: "login", login: name, password: "any" };
    const consent = await browsing.open(actionOf(login.text, login.url), { form });
    return browsing.open(actionOf(consent.text, consent.url), {
      form: { prompt: "consent" },
      stopsAt,
    });
  }

  function actionOf(html: string, url: string): string {
    const [, action = ""] = /<form[^>]* action="([^"]+)"/.exec(html) ?? [];
    return new URL(action, url).href;
  }

  /** Resolves with who is signed in. */
  async function whoIs(browsing: Browsing) {
    const client = connectConsole(origin, { origin, cookie: browsing.cookies(origin) });
    return (await client.console.getSession({})).operator;
  }

  test("gives the highest role of the claim, to an operator with the e-mail address as its name", async () => {
    const browsing = startBrowsing();
    expect(await authenticate(browsing, "ada")).toMatchObject({ url: `${origin}/` });
    const ada = await whoIs(browsing);
    expect(ada).toMatchObject({
      name: "ada@example.com",
      role: OperatorRole.OWNER,
      issuer: provider.issuer,
    });
    const again = startBrowsing();
    await authenticate(again, "ada");
    expect((await whoIs(again))?.id).toBe(ada?.id);
    const other = startBrowsing();
    await authenticate(other, "bob");
    expect((await whoIs(other))?.role).toBe(OperatorRole.VIEWER);
  });

  test("leads back to a path of the console, and to no other place", async () => {
    for (const [next, url] of [
      ["/keys?tag=a", `${origin}/keys?tag=a`],
      ["//example.com", `${origin}/`],
      ["/\\example.com", `${origin}/`],
      ["https://example.com", `${origin}/`],
    ] as const) {
      const query = `?next=${encodeURIComponent(next)}`;
      expect(await authenticate(startBrowsing(), "ada", atConsole(), query)).toMatchObject({ url });
    }
  });

  test("is refused without a role, and for an operator that is disabled", async () => {
    const browsing = startBrowsing();
    const refused = `${origin}/sign-in?error=refused`;
    expect(await authenticate(browsing, "eve")).toMatchObject({ url: refused });
    expect(await whoIs(browsing)).toBeUndefined();
    const bob = startBrowsing();
    await authenticate(bob, "bob");
    const operatorId = (await whoIs(bob))?.id ?? "";
    await stack.operator.updateOperator({ operatorId, isDisabled: true });
    expect(await whoIs(bob)).toBeUndefined();
    expect(await authenticate(startBrowsing(), "bob")).toMatchObject({ url: refused });
  });

  test("ends where it began: a response of another sign-in, or of no sign-in, is not taken", async () => {
    const callback = /sign-in\/oidc\/callback/;
    const victim = startBrowsing();
    const { url } = await authenticate(startBrowsing(), "ada", callback);
    expect(url).toMatch(callback);
    const failed = { url: `${origin}/sign-in?error=provider` };
    expect(await victim.open(url, { stopsAt: atConsole() })).toMatchObject(failed);
    await victim.open(`${origin}/sign-in/oidc`);
    expect(await victim.open(url, { stopsAt: atConsole() })).toMatchObject(failed);
    expect(await whoIs(victim)).toBeUndefined();
    const forged = `${origin}/sign-in/oidc/callback?code=x&state=y`;
    expect(await victim.open(forged, { stopsAt: atConsole() })).toMatchObject(failed);
  });

  test("is offered by the name of the provider", async () => {
    const { console } = connectConsole(origin);
    expect(await console.getSession({})).toMatchObject({ oidcName: "Example" });
  });
});
