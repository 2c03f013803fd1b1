import { expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { readMetrics } from "../src/process-metrics.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, chat } = await sharedStack();

/** Resolves with the providers whose key is refused, as the overview of the console names them. */
async function refusedProviders(): Promise<string[]> {
  const hour = 3_600_000;
  const from = { seconds: BigInt(Math.floor(Date.now() / hour) * 3_600), nanos: 0 };
  const to = { seconds: from.seconds + 3_600n, nanos: 0 };
  const { refusedKeys } = await stack.operator.readOverview({ from, to });
  return refusedKeys.map(({ provider }) => provider);
}

/** A key is tried once a minute. */
const timeout = 120_000;

test("a provider's key that works again is back within a minute, and no request fails meanwhile", {
  timeout,
}, async () => {
  const startedAt = performance.now();
  let requests = 0;
  const servedBy = async () => {
    requests += 1;
    expect((await chat("test-renewed")).status).toBe(200);
    return stack.simulator.calls.list().at(-1)?.model;
  };
  expect(await servedBy()).toBe("after-renewed");
  await eventually(async () => expect(await refusedProviders()).toContain("renewed"));
  await eventually(async () => expect(await servedBy()).toMatch(/^renewed/), {
    timeout: 70_000,
    interval: 500,
  });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(59_000);
  expect(requests).toBeGreaterThan(60);
  // One that was refused, and the trial a minute later.
  const called = stack.simulator.calls.list().filter(({ model }) => model?.startsWith("renewed"));
  expect(called).toHaveLength(2);
  await eventually(async () => expect(await refusedProviders()).not.toContain("renewed"));
  const texts = await readMetrics(stack.operationsUrls);
  const ofKey = /^tollgate_provider_key_refused\{provider="renewed",key=""\} (\d)$/gm;
  const values = [...texts.join("\n").matchAll(ofKey)].map(([, value]) => value);
  // The alert on it ends.
  expect(new Set(values)).toEqual(new Set(["0"]));
});
