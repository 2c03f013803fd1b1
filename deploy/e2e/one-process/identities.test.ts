import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { HttpResponse } from "../src/http-response.ts";
import { chatBody, send } from "../src/request.ts";
import { chatServices, type OwnStack, startStack, type TestAccount } from "../src/stack.ts";

let stack: OwnStack;
let account: TestAccount;

beforeAll(async () => {
  // Without an access key in the environment, the process has that of its container's server.
  const none = { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "", AWS_SESSION_TOKEN: "" };
  stack = await startStack(none, { services: chatServices });
  account = await stack.newAccount(5);
});
const waitOptions = { timeout: 20_000 };

afterEach(() => {
  stack.simulator.issued.fault = undefined;
});
afterAll(() => stack.stop());

function chat(model: string): Promise<HttpResponse> {
  const url = `${stack.url}/v1/chat/completions`;
  return send(url, { key: account.key, body: chatBody({ model, max_tokens: 20 }) });
}

const lastRoute = () => stack.simulator.calls.list().at(-1)?.route;

// Before there are credentials in use.
test.each([
  "unavailable",
  "malformed",
  "expired",
] as const)("a token server that is %s is not the client's failure: the next slot serves", async (fault) => {
  const { issued } = stack.simulator;
  issued.fault = fault;
  const before = issued.requests;
  // For a second, a failure stands for all requests.
  await expect
    .poll(async () => {
      const { status } = await chat("test-identity-aws-second");
      expect([status, lastRoute()]).toEqual([200, "/v1/chat/completions"]);
      return issued.requests;
    }, waitOptions)
    .toBeGreaterThan(before);
});

test.each([
  ["test-identity-aws", "/bedrock/model/amazon.nova-pro-v1%3A0/converse"],
  ["test-identity-google", "/models/gemini-2.5-flash:generateContent"],
  ["test-identity-claude", "/models/claude-sonnet-4-5@20250929:rawPredict"],
  ["test-identity-azure", "/azure/openai/v1/chat/completions"],
])("a provider that is called by an identity serves and is charged: %s", async (model, route) => {
  await expect.poll(async () => (await chat(model)).status, waitOptions).toBe(200);
  const { body } = await chat(model);
  expect((body as { usage: { cost: number } }).usage.cost).toBeGreaterThan(0);
  expect(lastRoute()).toContain(route);
});

test("credentials that the provider no longer takes are replaced within the request", async () => {
  const { issued } = stack.simulator;
  const before = issued.requests;
  issued.revoke();
  expect((await chat("test-identity-google")).status).toBe(200);
  expect((await chat("test-identity-claude")).status).toBe(200);
  expect((await chat("test-identity-azure")).status).toBe(200);
  expect(issued.requests).toBe(before + 2);
});

test.each([
  "test-identity-aws-second",
  "test-identity-azure-second",
])("an identity that the cloud refuses is out as a refused key is, and the next slot serves: %s", async (model) => {
  const { issued } = stack.simulator;
  issued.fault = "refused";
  issued.revoke();
  const { status } = await chat(model);
  expect([status, lastRoute()]).toEqual([200, "/v1/chat/completions"]);
});
