import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IdentityFailure, type IdentitySettings } from "@tollgate/catalog/identity";
import { readProxySettings } from "@tollgate/core/proxy-settings";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { startTokenServer, type TokenReply, type TokenRequest } from "../../test/token-server.ts";
import { containerAddress } from "./container-credentials.ts";
import { awsIdentity } from "./identity.ts";

/** Those of the packages, which read the environment of the process. */
const variables = [
  ...["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"],
  ...["AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ENDPOINT_URL_STS", "AWS_REGION"],
  ...["AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"],
  ...["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "AWS_CONTAINER_AUTHORIZATION_TOKEN"],
  ...["AWS_EC2_METADATA_SERVICE_ENDPOINT", "HTTPS_PROXY", "HTTP_PROXY"],
] as const;

beforeEach(() => {
  for (const name of variables) vi.stubEnv(name, undefined);
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  vi.stubEnv("AWS_CONFIG_FILE", "/dev/null");
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null");
});
afterEach(() => void vi.unstubAllEnvs());

const expiration = "2099-01-01T00:00:00Z";
const role = "arn:aws:iam::123456789012:role/tollgate";

const key = { AccessKeyId: "ASIAEXAMPLE", SecretAccessKey: "secret-key", Expiration: expiration };
const containerReply: TokenReply = { body: { ...key, Token: "container-token" } };

async function read(settings: IdentitySettings = {}) {
  const readGrant = await awsIdentity.load();
  const { env } = process;
  return readGrant({ settings, region: "eu-west-1", env, proxies: readProxySettings(env) });
}

async function failure(settings?: IdentitySettings): Promise<IdentityFailure> {
  const error = await read(settings).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(IdentityFailure);
  return error as IdentityFailure;
}

async function writeToken(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-identity-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "token");
  await writeFile(file, text);
  return file;
}

/** The response of AWS's token service: https://docs.aws.amazon.com/STS/latest/APIReference */
function granted(action: string, sessionToken: string): TokenReply {
  const body = `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result>
    <Credentials><AccessKeyId>ASIAEXAMPLE</AccessKeyId><SecretAccessKey>secret-key</SecretAccessKey>
    <SessionToken>${sessionToken}</SessionToken><Expiration>${expiration}</Expiration></Credentials>
    </${action}Result></${action}Response>`;
  return { type: "text/xml", body };
}

function stsRefusal(status: number, code: string, message: string): TokenReply {
  const body = `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>
    <Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;
  return { status, type: "text/xml", body };
}

async function startSts(reply: (request: TokenRequest) => TokenReply) {
  const server = await startTokenServer(reply);
  vi.stubEnv("AWS_ENDPOINT_URL_STS", server.url);
  return server;
}

describe("the credentials of AWS's default chain", () => {
  test("are those of the container's server, as of EKS Pod Identity", async () => {
    const { url, requests } = await startTokenServer(() => containerReply);
    vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", `${url}/v1/credentials`);
    vi.stubEnv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", await writeToken("pod-token"));
    expect(await read()).toEqual({
      values: {
        accessKeyId: "ASIAEXAMPLE",
        secretAccessKey: "secret-key",
        sessionToken: "container-token",
      },
      expiresAtMs: Date.parse(expiration),
    });
    expect(requests[0]).toMatchObject({
      path: "/v1/credentials",
      headers: { authorization: "pod-token" },
    });
  });

  test("are those of a web identity, as of IRSA, whose file is read each time", async () => {
    const { requests } = await startSts(() => granted("AssumeRoleWithWebIdentity", "web"));
    const file = await writeToken("first-token");
    vi.stubEnv("AWS_WEB_IDENTITY_TOKEN_FILE", file);
    vi.stubEnv("AWS_ROLE_ARN", role);
    expect(await read()).toMatchObject({ values: { sessionToken: "web" } });
    await writeFile(file, "second-token");
    await read();
    const forms = requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
    expect(forms).toMatchObject([
      { Action: "AssumeRoleWithWebIdentity", RoleArn: role, WebIdentityToken: "first-token" },
      { WebIdentityToken: "second-token" },
    ]);
  });

  test("are those of an EC2 instance, by a token of its session", async () => {
    const { url, requests } = await startTokenServer(({ path, headers }) => {
      if (path === "/latest/api/token") return { type: "text/plain", body: "session-token" };
      if (headers["x-aws-ec2-metadata-token"] !== "session-token") return { status: 401, body: "" };
      const isName = path.endsWith("/security-credentials/");
      const body = { ...key, Code: "Success", Token: "instance-token" };
      return { body: isName ? "role-of-instance" : body };
    });
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", undefined);
    vi.stubEnv("AWS_EC2_METADATA_SERVICE_ENDPOINT", url);
    expect(await read()).toMatchObject({ values: { sessionToken: "instance-token" } });
    expect(requests.at(-1)?.path).toBe(
      "/latest/meta-data/iam/security-credentials/role-of-instance",
    );
  });

  test("are those of the server of ECS, of which the path is known", () => {
    const env = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/v2/credentials/1" };
    expect(containerAddress(env)).toBe("http://169.254.170.2/v2/credentials/1");
  });

  test("are those of a profile", async () => {
    vi.stubEnv("AWS_PROFILE", "work");
    const file = await writeToken("[work]\naws_access_key_id = a\naws_secret_access_key = b\n");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", file);
    expect(await read()).toEqual({
      values: { accessKeyId: "a", secretAccessKey: "b" },
      expiresAtMs: undefined,
    });
  });

  test("are missing where the process has none, which no later attempt changes", async () => {
    expect(await failure()).toMatchObject({
      isRefused: true,
      message: expect.stringContaining("Could not load credentials from any providers"),
    });
  });
});

test("a role is assumed with the credentials of the process, an external id and a name", async () => {
  const sts = await startSts(() => granted("AssumeRole", "assumed"));
  const container = await startTokenServer(() => containerReply);
  vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", container.url);
  const settings = { role_arn: role, external_id: "shared-1", session_name: "gateway" };
  expect(await read(settings)).toMatchObject({ values: { sessionToken: "assumed" } });
  const [request] = sts.requests;
  expect(request?.headers).toMatchObject({ "x-amz-security-token": "container-token" });
  expect(Object.fromEntries(new URLSearchParams(request?.body))).toMatchObject({
    ...{ Action: "AssumeRole", RoleArn: role },
    ...{ ExternalId: "shared-1", RoleSessionName: "gateway" },
  });
});

test.each([
  [{ status: 403, body: { Code: "AccessDenied", Message: "No association." } }, true],
  [{ status: 429, body: { Code: "Throttled", Message: "secret-key" } }, false],
] satisfies [
  TokenReply,
  boolean,
][])("a container's server refuses by a 4xx, with its words, except for one that says to wait", async (reply, isRefused) => {
  const { url } = await startTokenServer(() => reply);
  vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", url);
  const failed = await failure();
  expect(failed.isRefused).toBe(isRefused);
  expect(failed.message.includes("AccessDenied: No association.")).toBe(isRefused);
  expect(failed.message).not.toContain("secret-key");
});

test.each([
  ["http://credentials.example.com/", undefined],
  ["http://169.254.170.2.example.com/", undefined],
  ["http://127.0.0.1:1/", "/nowhere/token"],
])("a container's server at %s is not called without TLS, nor without its token: %s", async (url, file) => {
  vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", url);
  vi.stubEnv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", file);
  expect(await failure()).toMatchObject({
    isRefused: true,
    message: expect.stringMatching(/without TLS|TOKEN_FILE names \(ENOENT\)/),
  });
});

test("a silent server is left after three seconds, and its connection closed", async () => {
  const warn = vi.spyOn(console, "warn");
  const container = await startTokenServer(() => undefined);
  const sts = await startSts(() => undefined);
  vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", container.url);
  const ofContainer = failure();
  await vi.waitFor(() => expect(container.requests).toHaveLength(1), { timeout: 15_000 });
  vi.stubEnv("AWS_ACCESS_KEY_ID", "a");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "b");
  const ofRole = failure({ role_arn: role });
  // The package repeats a request that was given up.
  await vi.waitFor(() => expect(sts.requests).toHaveLength(2), { timeout: 15_000 });
  expect(await ofContainer).toMatchObject({ isRefused: false });
  await vi.waitFor(() => expect(container.open()).toBe(0), { timeout: 15_000 });
  expect(sts.open()).toBe(1);
  expect(warn).not.toHaveBeenCalled();
  sts.close();
  expect(await ofRole).toMatchObject({ isRefused: false });
});

test("a role that may not be assumed is refused, with the words of AWS", async () => {
  const said = "User: arn:aws:sts::1:assumed-role/a/b is not authorized to perform: sts:AssumeRole";
  await startSts(() => stsRefusal(403, "AccessDenied", said));
  vi.stubEnv("AWS_ACCESS_KEY_ID", "a");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "b");
  expect(await failure({ role_arn: role })).toMatchObject({
    isRefused: true,
    message: `AWS: AccessDenied: ${said}`,
  });
});

describe("a token server with trouble is no refusal", () => {
  test.each([
    ["a 500", { status: 500, body: "secret-key" }],
    ["no JSON", { body: "secret-key" }],
    ["a part of the credentials", { body: { AccessKeyId: "secret-key" } }],
  ] satisfies [
    string,
    TokenReply,
  ][])("that sends %s, of which no error repeats a word", async (_, reply) => {
    const { url } = await startTokenServer(() => reply);
    vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", url);
    const { isRefused, message } = await failure();
    expect(isRefused).toBe(false);
    expect(message).not.toContain("secret");
  });

  test("that sends no XML", async () => {
    await startSts(() => ({ type: "text/xml", body: "secret-key" }));
    vi.stubEnv("AWS_ACCESS_KEY_ID", "a");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "b");
    const { isRefused, message } = await failure({ role_arn: role });
    expect(isRefused).toBe(false);
    expect(message).not.toContain("secret");
  });
});

test("a proxy is for AWS's token service, and not for the server of a container", async () => {
  vi.stubEnv("HTTPS_PROXY", "http://127.0.0.1:1");
  const { url } = await startTokenServer(() => containerReply);
  vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", url);
  expect(await read()).toMatchObject({ values: { sessionToken: "container-token" } });
  expect(await failure({ role_arn: role })).toMatchObject({
    isRefused: false,
    message: expect.not.stringContaining("127.0.0.1:1/"),
  });
});

test.each([
  ["https://bedrock-runtime.us-east-1.amazonaws.com", true],
  ["https://bedrock-agent-runtime.cn-north-1.amazonaws.com.cn", true],
  ["https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com/", true],
  ["http://bedrock-runtime.us-east-1.amazonaws.com", false],
  ["https://bedrock-runtime.us-east-1.amazonaws.com:8443", false],
  ["https://bedrock-runtime.us-east-1.amazonaws.com.evil.test", false],
  ["https://evil.test/bedrock-runtime.us-east-1.amazonaws.com", false],
])("AWS's own address, to which a test may send its identity: %s is %j", (url, isOwn) => {
  expect(awsIdentity.isVendorAddress(url)).toBe(isOwn);
});
