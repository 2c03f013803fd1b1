import type { TokenFault } from "@tollgate/simulator/identity/issued-credentials";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import type { HttpResponse } from "../src/http-response.ts";
import { expectBalancedLedger } from "../src/ledger.ts";
import { readMetrics } from "../src/process-metrics.ts";
import { chatBody, expectEnvelope, send } from "../src/request.ts";
import { chatServices, type OwnStack, startStack, type TestAccount } from "../src/stack.ts";
import { type SteadyLoad, startSteadyLoad } from "../src/steady-load.ts";

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

/**
 * Waits until every cloud serves, lets the token servers fail, and sends requests to the clouds in turn until the
 * test ends.
 */
async function startLoad(fault: TokenFault | undefined) {
  await untilAllServe();
  stack.simulator.issued.fault = fault;
  const load = startSteadyLoad(clouds.length, (index) =>
    chat(models[clouds[index % clouds.length] ?? "aws"]),
  );
  onTestFinished(() => void load.stop());
  return load;
}

/** Lets the token servers respond again, until every cloud serves. Ends the load: no request was lost. */
async function expectRecovery(load: SteadyLoad<HttpResponse>) {
  stack.simulator.issued.fault = undefined;
  await untilAllServe();
  await expectNoLoss(load);
}

/** Ends the load, and expects that no request was lost. */
async function expectNoLoss(load: SteadyLoad<HttpResponse>) {
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

/** Calls a model of each cloud. Resolves with which clouds' own slots served, and whether the second slot has. */
async function callAll() {
  const since = lastSeq();
  for (const cloud of clouds) await chat(models[cloud]);
  return servedSince(since);
}

async function untilAllServe() {
  await expect.poll(callAll, waitOptions).toEqual({ clouds, isSecond: false });
}

const metrics = async () => (await readMetrics(stack.operationsUrls)).join("\n");

test.each([
  ["well", undefined],
  ["slowly", "slow"],
] as const)(
  "credentials are renewed before they expire, and no request is lost: the server responds %s",
  {
    timeout: longMs,
  },
  async (_, fault) => {
    const { issued } = stack.simulator;
    const load = await startLoad(fault);
    const since = lastSeq();
    const before = issued.requests;
    await expect
      .poll(() => issued.requests, waitOptions)
      .toBeGreaterThanOrEqual(before + 2 * clouds.length);
    await expectNoLoss(load);
    expect(servedSince(since)).toEqual({ clouds, isSecond: false });
  },
);

test.each([
  "unavailable",
  "silent",
  "malformed",
  "expired",
] as const)("where a token server is %s under load, the next slot serves, and no request is lost", {
  timeout: longMs,
}, async (fault) => {
  const load = await startLoad(fault);
  await expect.poll(callAll, waitOptions).toEqual({ clouds: [], isSecond: true });
  // The alert names the slots.
  for (const cloud of clouds) {
    await expect
      .poll(metrics, waitOptions)
      .toContain(`tollgate_slot_out{slot="${slots[cloud]}"} 1`);
  }
  // A model without a second slot is refused, without a word about the cloud.
  const alone = await chat("test-identity-google");
  expectEnvelope(alone, 503, "no_provider_available");
  expect(alone.text).not.toMatch(/google|token|credential|identity/i);
  await expectRecovery(load);
});

test.each([
  "refused",
  "foreign",
] as const)("an identity whose credentials are %s under load is out as a refused key is, and the alert names it", {
  timeout: longMs,
}, async (fault) => {
  const load = await startLoad(fault);
  for (const provider of ["bedrock_identity", "vertex_identity", "azure_identity"]) {
    await expect
      .poll(metrics, waitOptions)
      .toContain(`tollgate_provider_key_refused{provider="${provider}",key="identity"} 1`);
  }
  const alone = await chat("test-identity-azure");
  expectEnvelope(alone, 503, "no_provider_available");
  await expectRecovery(load);
  expect(await metrics()).not.toMatch(/^tollgate_provider_key_refused\{.*identity.*\} 1$/m);
});
