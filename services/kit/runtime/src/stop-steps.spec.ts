import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { runStopSteps } from "./stop-steps.ts";

const never = () => new Promise<void>(() => {});

test("steps run one after the other", async () => {
  const events: string[] = [];
  const step = (name: string, ms: number) => ({
    name,
    async run() {
      events.push(`${name} begins`);
      await sleep(ms);
      events.push(`${name} ends`);
    },
  });
  await runStopSteps([step("first", 20), step("second", 1)], 10_000);
  expect(events).toEqual(["first begins", "first ends", "second begins", "second ends"]);
});

test("a step that never ends is named by the error", async () => {
  const steps = [
    { name: "requests", run: async () => {} },
    { name: "the broker", run: never },
    { name: "the database", run: async () => expect.fail("must not run") },
  ];
  await expect(runStopSteps(steps, 50)).rejects.toThrow(
    "did not stop within 0.05 seconds: waiting for the broker",
  );
});

test("a step may fail after the timeout", async () => {
  const late = Promise.withResolvers<void>();
  const stop = runStopSteps([{ name: "requests", run: () => late.promise }], 1);
  await expect(stop).rejects.toThrow("waiting for requests");
  late.reject(new Error("late"));
  // An unhandled rejection fails the run.
  await sleep(1);
});

test("a step that fails ends the stop", async () => {
  const steps = [
    { name: "requests", run: () => Promise.reject(new Error("no")) },
    { name: "the database", run: async () => expect.fail("must not run") },
  ];
  await expect(runStopSteps(steps, 10_000)).rejects.toThrow("no");
});
