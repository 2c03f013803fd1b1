import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { IdentityFailure, type IdentitySettings } from "@tollgate/catalog/identity";
import { readProxySettings } from "@tollgate/core/proxy-settings";
import { createAuthority, createCertificate } from "@tollgate/local/test-certificates";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { startTokenServer, type TokenReply, type TokenRequest } from "../../test/token-server.ts";
import { googleIdentity } from "./identity.ts";

beforeEach(() => {
  for (const name of ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "GOOGLE_APPLICATION_CREDENTIALS"]) {
    vi.stubEnv(name, undefined);
  }
  vi.stubEnv("METADATA_SERVER_DETECTION", "assume-present");
});
afterEach(() => void vi.unstubAllEnvs());

async function read(settings: IdentitySettings = {}) {
  const readGrant = await googleIdentity.load();
  const { env } = process;
  return readGrant({ settings, region: "us-east5", env, proxies: readProxySettings(env) });
}

async function failure(settings?: IdentitySettings): Promise<IdentityFailure> {
  const error = await read(settings).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(IdentityFailure);
  return error as IdentityFailure;
}

/** https://docs.cloud.google.com/compute/docs/metadata/querying-metadata */
async function startMetadata(token: TokenReply) {
  const headers = { "metadata-flavor": "Google" };
  const server = await startTokenServer(({ path }) =>
    path.includes("/token") ? token && { headers, ...token } : { headers, body: "acme-1" },
  );
  vi.stubEnv("GCE_METADATA_HOST", `127.0.0.1:${server.port}`);
  return server;
}

/** Workload identity federation: https://google.aip.dev/auth/4117 */
async function startFederation(more: object, reply: (request: TokenRequest) => TokenReply) {
  const server = await startTokenServer(reply);
  const folder = await mkdtemp(join(tmpdir(), "tollgate-identity-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [file, subject] = [join(folder, "credentials.json"), join(folder, "token")];
  await writeFile(subject, "pod-token");
  const credentials = {
    type: "external_account",
    audience:
      "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/k",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: `${server.url}/v1/token`,
    credential_source: { file: subject },
    ...more,
  };
  await writeFile(file, JSON.stringify(credentials));
  vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", file);
  return server;
}

const granted = { access_token: "ya29.token", expires_in: 3_599, token_type: "Bearer" };

describe("the token of Application Default Credentials", () => {
  test("is that of the metadata server, as of Workload Identity on GKE, never by a proxy", async () => {
    const { requests } = await startMetadata({ body: granted });
    vi.stubEnv("HTTPS_PROXY", "http://127.0.0.1:1");
    vi.stubEnv("HTTP_PROXY", "http://127.0.0.1:1");
    const { values, expiresAtMs } = await read();
    expect(values).toEqual({ token: "ya29.token" });
    expect(Number(expiresAtMs) - Date.now()).toBeGreaterThan(3_000_000);
    const asked = requests.find(({ path }) => path.includes("/token"));
    expect(asked?.path).toContain("/computeMetadata/v1/instance/service-accounts/default/token");
    expect(asked?.headers).toMatchObject({ "metadata-flavor": "Google" });
  });

  test("is that of a workload identity, which is exchanged for it", async () => {
    const body = { ...granted, issued_token_type: "urn:ietf:params:oauth:token-type:access_token" };
    const { requests } = await startFederation({}, () => ({ body }));
    expect(await read()).toMatchObject({ values: { token: "ya29.token" } });
    const [request] = requests;
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toMatchObject({
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token: "pod-token",
      scope: "https://www.googleapis.com/auth/cloud-platform",
    });
  });
});

describe("a service account", () => {
  /** Starts Google's service of credentials, to which a proxy leads. Returns what it was sent. */
  async function startCredentials(status: number, answer: object) {
    const authority = await createAuthority();
    const certificate = await createCertificate(authority, "iamcredentials.googleapis.com");
    const requests: { path: string; authorization: string; body: unknown }[] = [];
    const server = createTlsServer(certificate, async (message, response) => {
      let body = "";
      for await (const chunk of message) body += chunk;
      const { url: path = "", headers } = message;
      const { authorization = "" } = headers;
      requests.push({ path, authorization, body: JSON.parse(body) });
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(answer));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const before = getCACertificates("default");
    setDefaultCACertificates([...before, authority.cert]);
    onTestFinished(() => {
      setDefaultCACertificates(before);
      server.close();
      server.closeAllConnections();
    });
    const { port } = server.address() as AddressInfo;
    const proxy = createServer().on("connect", (_, socket) => {
      const tunnel = connect(port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        tunnel.pipe(socket).pipe(tunnel);
      });
      for (const end of [tunnel, socket]) end.on("error", () => end.destroy());
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    onTestFinished(() => void proxy.close());
    vi.stubEnv("HTTPS_PROXY", `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    return requests;
  }

  const impersonate = "tollgate@acme-1.iam.gserviceaccount.com";

  test("is impersonated for an hour with the credentials of the process", async () => {
    await startMetadata({ body: granted });
    const expireTime = "2099-01-01T00:00:00Z";
    const requests = await startCredentials(200, { accessToken: "ya29.impersonated", expireTime });
    expect(await read({ impersonate })).toEqual({
      values: { token: "ya29.impersonated" },
      expiresAtMs: Date.parse(expireTime),
    });
    expect(requests).toEqual([
      {
        path: `/v1/projects/-/serviceAccounts/${impersonate}:generateAccessToken`,
        authorization: "Bearer ya29.token",
        body: {
          delegates: [],
          scope: ["https://www.googleapis.com/auth/cloud-platform"],
          lifetime: "3600s",
        },
      },
    ]);
  });

  test("that may not be impersonated is a refusal, with the words of Google", async () => {
    await startMetadata({ body: granted });
    const message = "Permission 'iam.serviceAccounts.getAccessToken' denied";
    await startCredentials(403, { error: { code: 403, message, status: "PERMISSION_DENIED" } });
    const refused = await failure({ impersonate });
    expect([refused.isRefused, refused.message]).toEqual([true, expect.stringContaining(message)]);
  });
});

test("a service account is impersonated at Google's own address, through the proxy", async () => {
  await startMetadata({ body: granted });
  const asked: string[] = [];
  const proxy = createServer().on("connect", ({ url = "" }, socket) => {
    asked.push(url);
    socket.end("HTTP/1.1 503 Unavailable\r\n\r\n");
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  vi.stubEnv("HTTPS_PROXY", `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  const { isRefused, message } = await failure({
    impersonate: "tollgate@acme-1.iam.gserviceaccount.com",
  });
  expect(new Set(asked)).toEqual(new Set(["iamcredentials.googleapis.com:443"]));
  expect(isRefused).toBe(false);
  expect(message).not.toContain("ya29");
});

describe("a failure", () => {
  test("is a refusal where the token service refuses, with its words", async () => {
    await startFederation({}, () => ({
      status: 400,
      body: { error: "invalid_grant", error_description: "The audience is not known." },
    }));
    const { isRefused, message } = await failure();
    expect([isRefused, message]).toEqual([true, expect.stringContaining("invalid_grant")]);
  });

  test.each([
    ["a 500", { status: 500, body: "secret" }],
    ["no JSON", { body: "secret" }],
    ["no token", { body: { secret: "secret" } }],
  ] satisfies [
    string,
    TokenReply,
  ][])("is none where it sends %s, of which it repeats nothing", async (_, reply) => {
    await startFederation({}, () => reply);
    const { isRefused, message } = await failure();
    expect(isRefused).toBe(false);
    expect(message).not.toContain("secret");
  });
});

test.each([
  ["https://us-east5-aiplatform.googleapis.com/v1/projects/a", true],
  ["https://aiplatform.googleapis.com/v1", true],
  ["https://aiplatform.eu.rep.googleapis.com/v1", true],
  ["http://aiplatform.googleapis.com/v1", false],
  ["https://evil.test/aiplatform.googleapis.com", false],
  ["https://aiplatform.googleapis.com.evil.test", false],
])("Google's own address, to which a test may send its identity: %s is %j", (url, isOwn) => {
  expect(googleIdentity.isVendorAddress(url)).toBe(isOwn);
});
