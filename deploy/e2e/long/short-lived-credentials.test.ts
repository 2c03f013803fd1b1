import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { expectBalancedLedger } from "../src/ledger.ts";
import { chatBody, expectEnvelope, send } from "../src/request.ts";
import { chatServices, type OwnStack, startStack, type TestAccount } from "../src/stack.ts";
import { startSteadyLoad } from "../src/steady-load.ts";

/** Credentials are renewed after two thirds of it, and no longer used after nine tenths. */
const lifeMs = 10_000;
/** An identity that was refused is tried once a minute. */
const waitOptions = { timeout: 300_000, interval: 250 };
const longMs = 900_000;

/** A model of each cloud, whose second slot needs no identity. */
const models = {
  aws: "test-identity-aws-second",
  google: "test-identity-google-second",
  azure: "test-identity-azure-second",
};
const slots = {
  aws: "bedrock_identity/amazon.nova-pro-v1:0",
  google: "vertex_identity/gemini-2.5-flash",
  azure: "azure_identity/my-gpt",
};
const clouds = ["aws", "google", "azure"] as const;

let stack: OwnStack;
let account: TestAccount;

beforeAll(async () => {
  const none = { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "", AWS_SESSION_TOKEN: "" };
  stack = await startStack(none, { services: chatServices });
  stack.simulator.issued.lifeMs = lifeMs;
  account = await stack.newAccount(1_000);
});

afterEach(() => {
  stack.simulator.issued.fault = undefined;
});

afterAll(async () => {
  await expectBalancedLedger(stack, 60_000);
  await stack.stop();
});

const chat = (model: string) =>
  send(`${stack.url}/v1/chat/completions`, {
    key: account.key,
    body: chatBody({ model, max_tokens: 20 }),
  });

/** Sends requests to the clouds in turn until the test ends. */
function loadClouds() {
  const load = startSteadyLoad(clouds.length, (index) =>
    chat(models[clouds[index % clouds.length] ?? "aws"]),
  );
  onTestFinished(() => void load.stop());
  return load;
}

/** Ends the load, and expects that no request was lost. */
async function expectNoLoss(load: ReturnType<typeof loadClouds>) {
  const responses = await load.stop();
  expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
}

/** Returns the clouds whose own slot has served since a call, and whether the second slot has. */
function servedSince(since: number) {
  const served = stack.simulator.calls
    .list({ since })
    .filter(({ status }) => status === 200)
    .map(({ model }) => model);
  return {
    clouds: clouds.filter((cloud) => served.some((model) => slots[cloud].endsWith(model))),
    isSecond: served.includes("second"),
  };
}

const lastSeq = () => stack.simulator.calls.list().at(-1)?.seq ?? 0;

async function untilAllServe() {
  await expect
    .poll(async () => {
      const since = lastSeq();
      for (const cloud of clouds) await chat(models[cloud]);
      return servedSince(since);
    }, waitOptions)
    .toEqual({ clouds, isSecond: false });
}

async function metrics(): Promise<string> {
  const pages = stack.operationsUrls.map(async (url) => (await fetch(`${url}/metrics`)).text());
  return (await Promise.all(pages)).join("\n");
}

test.each([
  "well",
  "slow",
] as const)("credentials that expire under load are renewed before, and no request is lost: a server that is %s", {
  timeout: longMs,
}, async (how) => {
  const { issued } = stack.simulator;
  await untilAllServe();
  issued.fault = how === "slow" ? how : undefined;
  const since = lastSeq();
  const before = issued.requests;
  const load = loadClouds();
  await expect
    .poll(() => issued.requests, waitOptions)
    .toBeGreaterThanOrEqual(before + 2 * clouds.length);
  await expectNoLoss(load);
  expect(servedSince(since)).toEqual({ clouds, isSecond: false });
});

test.each([
  "unavailable",
  "silent",
  "malformed",
  "expired",
] as const)("of a token server that is %s under load the client sees nothing: the next slot serves", {
  timeout: longMs,
}, async (fault) => {
  const { issued } = stack.simulator;
  await untilAllServe();
  issued.fault = fault;
  const load = loadClouds();
  await expect
    .poll(async () => {
      const since = lastSeq();
      for (const cloud of clouds) await chat(models[cloud]);
      return servedSince(since);
    }, waitOptions)
    .toEqual({ clouds: [], isSecond: true });
  // The alert names the slots.
  for (const cloud of clouds) {
    await expect
      .poll(metrics, waitOptions)
      .toContain(`tollgate_slot_out{slot="${slots[cloud]}"} 1`);
  }
  // A model without a second slot is refused, and not a word of the cloud is said.
  const alone = await chat("test-identity-google");
  expectEnvelope(alone, 503, "no_provider_available");
  expect(alone.text).not.toMatch(/google|token|credential|identity/i);
  issued.fault = undefined;
  await untilAllServe();
  await expectNoLoss(load);
});

test.each([
  "refused",
  "foreign",
] as const)("an identity whose credentials are %s under load is out as a refused key, and the alert names it", {
  timeout: longMs,
}, async (fault) => {
  const { issued } = stack.simulator;
  await untilAllServe();
  issued.fault = fault;
  const load = loadClouds();
  for (const provider of ["bedrock_identity", "vertex_identity", "azure_identity"]) {
    await expect
      .poll(metrics, waitOptions)
      .toContain(`tollgate_provider_key_refused{provider="${provider}",key="identity"} 1`);
  }
  const alone = await chat("test-identity-azure");
  expectEnvelope(alone, 503, "no_provider_available");
  issued.fault = undefined;
  await untilAllServe();
  await expectNoLoss(load);
  expect(await metrics()).not.toMatch(/^tollgate_provider_key_refused\{.*identity.*\} 1$/m);
});
