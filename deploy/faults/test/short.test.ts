import { expect, inject, test } from "vitest";
import { runFaults } from "../src/run-faults.ts";

const campaigns = {
  short: { requests: 150, faults: 6, complete: 15 },
  whole: { requests: 300, faults: 10, complete: 50 },
};
const { requests, faults, complete } = campaigns[inject("form")];

/** A short campaign of `npm run test:faults`. */
test("a fleet with injected faults loses no event and charges nothing twice", {
  timeout: 300_000,
}, async () => {
  const plan = { seed: 7, requests, faults, clients: 12, replicas: 1 };
  const { violations, observations, injected } = await runFaults(plan);
  expect(violations).toEqual([]);
  const completed = observations.filter(({ outcome }) => outcome === "complete");
  expect(completed.length).toBeGreaterThan(complete);
  expect([...injected.values()].reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(faults);
});
