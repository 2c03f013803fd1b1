import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Simulator, startSimulator } from "@tollgate/simulator/simulator";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { chatModel, slot } from "../src/catalog/entries.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { expectBalancedLedger } from "../src/ledger.ts";
import { elementOf, findMoto, type Moto, startMoto } from "../src/moto.ts";
import { readMetrics } from "../src/process-metrics.ts";
import { chatBody, send } from "../src/request.ts";
import { chatServices, type OwnStack, startStack, type TestAccount } from "../src/stack.ts";
import { startSteadyLoad } from "../src/steady-load.ts";

const program = await findMoto();
const name = "credentials of AWS's token service, by moto";

if (program === undefined) describe.skip(`${name}: needs Python, which installs moto`, () => {});
else describe(name, () => tests(program));

const account = "123456789012";
const externalId = "partner-7";
const roleNamed = (role: string) => `arn:aws:iam::${account}:role/${role}`;
/** Renewed after 13 s, no longer used after 18 s. */
const lifeMs = 20_000;
const clients = 4;
const waitOptions = { timeout: 300_000, interval: 250 };
const longMs = 600_000;
const statement = (more: object) =>
  JSON.stringify({ Version: "2012-10-17", Statement: [{ Effect: "Allow", ...more }] });

/** Creates a user with an access key and the roles. Resolves with the access key. */
async function createRoles(moto: Moto): Promise<NodeJS.ProcessEnv> {
  await moto.administer("CreateUser", { UserName: "gateway" });
  const key = await moto.administer("CreateAccessKey", { UserName: "gateway" });
  const trust = statement({
    Action: "sts:AssumeRole",
    Principal: { AWS: `arn:aws:iam::${account}:user/gateway` },
    Condition: { StringEquals: { "sts:ExternalId": externalId } },
  });
  for (const RoleName of ["trusting", "closed"]) {
    await moto.administer("CreateRole", { RoleName, AssumeRolePolicyDocument: trust });
  }
  const policy = statement({ Action: "sts:AssumeRole", Resource: roleNamed("trusting") });
  const permission = { UserName: "gateway", PolicyName: "assume", PolicyDocument: policy };
  await moto.administer("PutUserPolicy", permission);
  return {
    AWS_ACCESS_KEY_ID: elementOf(key, "AccessKeyId"),
    AWS_SECRET_ACCESS_KEY: elementOf(key, "SecretAccessKey"),
    AWS_SESSION_TOKEN: "",
  };
}

function catalogOf({ url }: Simulator): string {
  const bedrock = { kind: "bedrock", region: "us-east-1", base_url: `${url}/bedrock` };
  const assuming = (role: string, external_id: string) => ({
    ...bedrock,
    identity: { role_arn: roleNamed(role), external_id },
  });
  const pricing = { input: "1", cache_write_1h: "1", output: "4" };
  const model = (alias: string) => {
    const chain = [slot(alias, "amazon.nova-pro-v1:0"), slot("sim", `after-${alias}`)];
    return chatModel(alias, chain, { pricing });
  };
  return JSON.stringify({
    providers: {
      sim: { base_url: `${url}/v1` },
      own: { ...bedrock, identity: "default" },
      role: assuming("trusting", externalId),
      stranger: assuming("trusting", "another"),
      closed: assuming("closed", externalId),
    },
    models: ["own", "role", "stranger", "closed"].map(model),
  });
}

function tests(found: string): void {
  let folder: string;
  let simulator: Simulator;
  let moto: Moto;
  let accessKey: NodeJS.ProcessEnv;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tollgate-moto-"));
    simulator = await startSimulator({ port: 0 });
    simulator.issued.lifeMs = lifeMs;
    moto = await startMoto(found, simulator.issued);
    accessKey = await createRoles(moto);
    await writeFile(join(folder, "catalog.yaml"), catalogOf(simulator));
  });

  afterAll(async () => {
    await moto.stop();
    await simulator.close();
    await rm(folder, { recursive: true });
  });

  async function startWith(env: NodeJS.ProcessEnv) {
    const more = {
      TOLLGATE_CATALOG: join(folder, "catalog.yaml"),
      AWS_ENDPOINT_URL_STS: moto.url,
    };
    const stack = await startStack({ ...more, ...env }, { services: chatServices });
    return { stack, customer: await stack.newAccount(100) };
  }

  function chat(stack: OwnStack, { key }: TestAccount, model: string): Promise<HttpResponse> {
    const body = chatBody({ model, max_tokens: 20 });
    return send(`${stack.url}/v1/chat/completions`, { key, body });
  }

  /** Sends requests until the token service has granted credentials some more times, and expects no loss. */
  async function expectRenewed(stack: OwnStack, customer: TestAccount, model: string) {
    const since = simulator.calls.list().at(-1)?.seq ?? 0;
    const before = moto.granted.length;
    const load = startSteadyLoad(clients, () => chat(stack, customer, model));
    onTestFinished(() => void load.stop());
    await expect.poll(() => moto.granted.length, waitOptions).toBeGreaterThanOrEqual(before + 3);
    const sent = load.responses.length;
    await expect.poll(() => load.responses.length, waitOptions).toBeGreaterThan(sent + clients);
    const responses = await load.stop();
    expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
    // The provider served all of them, and refused no credentials as expired.
    const calls = simulator.calls.list({ since });
    expect(
      calls.filter(({ status, model: called }) => status !== 200 || !called.startsWith("amazon")),
    ).toEqual([]);
    expect(calls).toHaveLength(responses.length);
    await expectBalancedLedger(stack, 60_000);
  }

  test("a web identity's file is read again under load, and no request is lost", {
    timeout: longMs,
  }, async () => {
    const file = join(folder, "token");
    let tokens = 0;
    const replace = () => writeFile(file, `identity-${++tokens}`);
    await replace();
    const { stack, customer } = await startWith({
      ...{ AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "", AWS_SESSION_TOKEN: "" },
      ...{ AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: roleNamed("trusting") },
    });
    const rotation = setInterval(() => void replace(), 1_000);
    try {
      await expectRenewed(stack, customer, "own");
    } finally {
      clearInterval(rotation);
      await stack.stop();
    }
    expect(new Set(moto.granted)).toEqual(new Set(["AssumeRoleWithWebIdentity"]));
    expect(new Set(moto.webIdentities).size).toBe(moto.webIdentities.length);
  });

  describe("where signatures and policies are checked", () => {
    let stack: OwnStack;
    let customer: TestAccount;

    beforeAll(async () => {
      await moto.requireAuthorization();
      ({ stack, customer } = await startWith(accessKey));
    });

    afterAll(() => stack.stop());

    test("a role is assumed again under load, and no request is lost", {
      timeout: longMs,
    }, async () => {
      await expectRenewed(stack, customer, "role");
      expect(moto.granted.at(-1)).toBe("AssumeRole");
    });

    test.each([
      ["stranger", "trusting", "another"],
      ["closed", "closed", externalId],
    ])("a role that may not be assumed is passed over, and the alert names it: %s", async (model, role, id) => {
      const response = await chat(stack, customer, model);
      expect(response.status, response.text).toBe(200);
      expect(simulator.calls.list().at(-1)?.model).toBe(`after-${model}`);
      const key = `identity role_arn=${roleNamed(role)} external_id=${id}`;
      const line = `tollgate_provider_key_refused{provider="${model}",key="${key}"} 1`;
      const metrics = async () => (await readMetrics(stack.operationsUrls)).join("\n");
      await expect.poll(metrics, waitOptions).toContain(line);
    });
  });
}
