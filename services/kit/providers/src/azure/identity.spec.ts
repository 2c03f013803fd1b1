import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { IdentityFailure, type IdentitySettings } from "@tollgate/catalog/identity";
import { readProxySettings } from "@tollgate/core/proxy-settings";
import { createAuthority, createCertificate } from "@tollgate/local/test-certificates";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { startTokenServer, type TokenReply, type TokenRequest } from "../../test/token-server.ts";
import { entraIdentity } from "./identity.ts";

/** Those that the packages and the grant read. */
const variables = [
  ...["AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_CLIENT_SECRET", "AZURE_FEDERATED_TOKEN_FILE"],
  ...["AZURE_AUTHORITY_HOST", "IDENTITY_ENDPOINT", "IDENTITY_HEADER", "MSI_ENDPOINT"],
  ...["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"],
];
const tenant = "11111111-2222-3333-4444-555555555555";
const client = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee";
const scope = "https://cognitiveservices.azure.com/.default";

beforeEach(() => {
  for (const name of variables) vi.stubEnv(name, undefined);
});
afterEach(() => void vi.unstubAllEnvs());

async function read(settings: IdentitySettings = {}) {
  const readGrant = await entraIdentity.load();
  const { env } = process;
  return readGrant({ settings, region: undefined, env, proxies: readProxySettings(env) });
}

async function failure(settings?: IdentitySettings): Promise<IdentityFailure> {
  const error = await read(settings).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(IdentityFailure);
  return error as IdentityFailure;
}

/** The authority of a cloud, which only https addresses can name. */
async function startAuthority(reply: (request: TokenRequest) => TokenReply) {
  const { url, requests } = await startTokenServer(reply);
  const authority = await createAuthority();
  const server = createServer(
    await createCertificate(authority, "127.0.0.1"),
    async (message, response) => {
      let body = "";
      for await (const chunk of message) body += chunk;
      const { method = "", url: path = "" } = message;
      const answer = await fetch(url + path, { method, ...(body && { body }) });
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(await answer.text());
    },
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, authority.cert]);
  onTestFinished(() => {
    setDefaultCACertificates(before);
    server.close();
    server.closeAllConnections();
  });
  vi.stubEnv("AZURE_AUTHORITY_HOST", `https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { requests };
}

async function tokenFile(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-identity-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "token");
  await writeFile(file, text);
  return file;
}

/** The package keeps the address of its first managed identity. */
let managedPort: number | undefined;

/** https://learn.microsoft.com/azure/app-service/overview-managed-identity */
async function startManaged(reply: () => TokenReply) {
  const server = await startTokenServer(reply, managedPort);
  managedPort = server.port;
  vi.stubEnv("IDENTITY_ENDPOINT", `${server.url}/msi/token`);
  vi.stubEnv("IDENTITY_HEADER", "of-this-machine");
  return server;
}

const granted = { access_token: "entra-token", expires_in: 3_599, token_type: "Bearer" };
const expiresOn = () => String(Math.floor(Date.now() / 1_000) + 3_599);
const ofMachine = () => ({
  body: { access_token: "msi-token", expires_on: expiresOn(), token_type: "Bearer", resource: "r" },
});
const formOf = ({ body }: TokenRequest) => Object.fromEntries(new URLSearchParams(body));

describe("the token of Microsoft Entra ID", () => {
  test("is that of the client secret in the environment", async () => {
    const { requests } = await startAuthority(() => ({ body: granted }));
    vi.stubEnv("AZURE_CLIENT_ID", client);
    vi.stubEnv("AZURE_TENANT_ID", tenant);
    vi.stubEnv("AZURE_CLIENT_SECRET", "client-secret");
    const { values, expiresAtMs } = await read();
    expect(values).toEqual({ token: "entra-token" });
    expect(Number(expiresAtMs) - Date.now()).toBeGreaterThan(3_000_000);
    const [request] = requests;
    expect(requests).toHaveLength(1);
    expect(request?.path).toContain(`/${tenant}/oauth2/v2.0/token`);
    expect(formOf(request as TokenRequest)).toMatchObject({
      grant_type: "client_credentials",
      client_id: client,
      client_secret: "client-secret",
      scope,
    });
  });

  test("is that of a workload identity, whose file is read each time", async () => {
    const { requests } = await startAuthority(() => ({ body: granted }));
    const file = await tokenFile("first-token");
    vi.stubEnv("AZURE_FEDERATED_TOKEN_FILE", file);
    const settings = { client_id: client, tenant_id: tenant };
    expect(await read(settings)).toMatchObject({ values: { token: "entra-token" } });
    await writeFile(file, "second-token");
    await read(settings);
    expect(requests.map(formOf)).toMatchObject([
      { client_assertion: "first-token", client_id: client, scope },
      { client_assertion: "second-token" },
    ]);
  });

  test("is that of a managed identity, which no cache repeats, never by a proxy", async () => {
    const { requests } = await startManaged(ofMachine);
    vi.stubEnv("HTTPS_PROXY", "http://127.0.0.1:1");
    vi.stubEnv("HTTP_PROXY", "http://127.0.0.1:1");
    expect(await read({ client_id: client })).toMatchObject({ values: { token: "msi-token" } });
    await read({ client_id: client });
    expect(requests).toHaveLength(2);
    expect(requests[0]?.headers).toMatchObject({ "x-identity-header": "of-this-machine" });
    const query = new URL(requests[0]?.path ?? "", "http://machine.test").searchParams;
    expect(Object.fromEntries(query)).toMatchObject({
      resource: "https://cognitiveservices.azure.com",
      client_id: client,
    });
  });
});

describe("a failure", () => {
  beforeEach(() => {
    vi.stubEnv("AZURE_CLIENT_ID", client);
    vi.stubEnv("AZURE_TENANT_ID", tenant);
    vi.stubEnv("AZURE_CLIENT_SECRET", "client-secret");
  });

  test("is a refusal where Entra ID refuses, with its words", async () => {
    const body = { error: "invalid_client", error_description: "AADSTS7000222: The keys expired." };
    await startAuthority(() => ({ status: 401, body }));
    expect(await failure()).toMatchObject({
      isRefused: true,
      message: "Azure: invalid_client: AADSTS7000222: The keys expired.",
    });
  });

  test.each([
    [{}, "Azure: no access token (403)"],
    [{ statusCode: 403, message: "No identity is assigned." }, "Azure: No identity is assigned."],
    [
      { error: "invalid_request", error_description: "Identity not found" },
      "Azure: invalid_request: Identity not found",
    ],
  ])("is a refusal where the server of a managed identity refuses, with its words: %j", async (body, message) => {
    vi.stubEnv("AZURE_CLIENT_SECRET", undefined);
    await startManaged(() => ({ status: 403, body }));
    expect(await failure()).toMatchObject({ isRefused: true, message });
  });

  test("is a refusal where the environment names no tenant", async () => {
    vi.stubEnv("AZURE_TENANT_ID", undefined);
    expect(await failure()).toMatchObject({
      isRefused: true,
      message: "Azure: the environment variable AZURE_TENANT_ID is not set",
    });
  });

  test.each([
    ["a 500", { status: 500, body: { error: "secret" } }],
    ["a 429", { status: 429, body: { error: "secret" } }],
    ["no JSON", { body: "secret" }],
    ["no token", { body: { secret: "secret" } }],
  ] satisfies [
    string,
    TokenReply,
  ][])("is none where a server sends %s, of which it repeats nothing", async (_, reply) => {
    await startAuthority(() => reply);
    const ofAuthority = await failure();
    vi.stubEnv("AZURE_CLIENT_SECRET", undefined);
    const { requests } = await startManaged(() => reply);
    const ofManaged = await failure();
    expect(requests).toHaveLength(1);
    for (const { isRefused, message } of [ofAuthority, ofManaged]) {
      expect(isRefused).toBe(false);
      expect(message).not.toContain("secret");
    }
  });

  test("is none where no server of a managed identity can be reached", async () => {
    vi.stubEnv("AZURE_CLIENT_SECRET", undefined);
    const { close } = await startManaged(() => ({ body: {} }));
    close();
    expect(await failure()).toMatchObject({ isRefused: false });
  });
});

test.each([
  ["https://acme.openai.azure.com/openai/v1", true],
  ["https://acme.services.ai.azure.com/openai/v1", true],
  ["https://acme.openai.azure.us/openai/v1", true],
  ["http://acme.openai.azure.com/openai/v1", false],
  ["https://acme.azure-api.net/openai/v1", false],
  ["https://acme.openai.azure.com.evil.test/openai/v1", false],
])("Azure's own address, to which a test may send its identity: %s is %j", (url, isOwn) => {
  expect(entraIdentity.isVendorAddress(url)).toBe(isOwn);
});
